package config

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"
)

// The variables that are no settings themselves.
const (
	configVariable = "MCP_CU_CONFIG"           // the settings file
	trustVariable  = "MCP_CU_TRUST_CWD_CONFIG" // take every setting from the working folder's file
)

// environment is the caller's environment. Names are compared without case on Windows, as there.
type environment struct {
	values map[string]string
	fold   bool
}

func newEnvironment(list []string, goos string) environment {
	env := environment{make(map[string]string, len(list)), goos == "windows"}
	for _, pair := range list {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env.values[env.name(name)] = value
		}
	}
	return env
}

func (env environment) name(name string) string {
	if env.fold {
		return strings.ToUpper(name)
	}
	return name
}

// get returns the value of a variable, trimmed; "" when it is not set.
func (env environment) get(name string) string { return strings.TrimSpace(env.values[env.name(name)]) }

// find returns the strongest variable of a setting that is set, and its value.
func (env environment) find(one setting) (name, value string) {
	for _, name := range one.envs {
		if value := env.get(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// flag reads a variable that is a boolean.
func (env environment) flag(name string) (bool, error) {
	one := setting{kind: "bool"}
	value := env.get(name)
	if value == "" {
		return false, nil
	}
	v, err := one.parse(value)
	if err != nil {
		return false, &Error{Variable: name, Problem: one.problem(value, err), Allowed: one.allowed()}
	}
	return v.(bool), nil
}

// apply reads the environment into s. Every value is checked first and handed on in the form that the
// decoder takes, so that a mistake names the variable and all mistakes are told at once.
func (env environment) apply(ctx context.Context, s *Settings, folder, home string) error {
	canonical := make(map[string]string)
	found := make(map[string]any)
	var mistakes []error
	for _, one := range settings() {
		name, value := env.find(one)
		if name == "" {
			continue
		}
		v, err := one.parse(value)
		if err != nil {
			mistakes = append(mistakes, &Error{Variable: name, Problem: one.problem(value, err), Allowed: one.allowed()})
			continue
		}
		canonical[one.env], found[one.env] = form(v), v
	}
	if err := errors.Join(mistakes...); err != nil {
		return err
	}
	var own Settings
	err := envconfig.ProcessWith(ctx, &envconfig.Config{
		Target: &own, Lookuper: envconfig.MapLookuper(canonical), DefaultOverwrite: true,
	})
	if err != nil {
		return &Error{Variable: "environment", Problem: err.Error(), Err: err}
	}
	for _, one := range settings() {
		if found[one.env] != nil {
			one.put(s, one.field(&own).Interface(), folder, home)
		}
	}
	return nil
}

// form prints a value as the environment decoder reads it.
func form(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Duration:
		return v.String()
	case []string:
		return strings.Join(v, ",")
	}
	return reflect.ValueOf(v).String()
}

// unknownVariables warns about variables that are nearly those of a setting. Others with the prefix
// belong to somebody else.
func (env environment) unknownVariables() []string {
	known := []string{configVariable, trustVariable, "MCP_CU_RECORD"}
	for _, one := range settings() {
		known = append(known, one.envs...)
	}
	var warnings []string
	for name := range env.values {
		if !strings.HasPrefix(name, "MCP_CU_") || slices.Contains(known, name) {
			continue
		}
		if nearest(name, known) != "" {
			warnings = append(warnings, unknown("variable", name, known))
		}
	}
	slices.Sort(warnings)
	return warnings
}
