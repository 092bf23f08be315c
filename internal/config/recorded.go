package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Recorded returns the settings that shape a run, by key, for the header of a recording: all but those
// that belong to one machine (paths, addresses to serve on, secrets). Durations are texts.
func (s Settings) Recorded() map[string]any {
	out := make(map[string]any)
	for _, one := range settings() {
		if one.local {
			continue
		}
		switch v := one.field(&s).Interface().(type) {
		case time.Duration:
			out[one.key] = v.String()
		case []string:
			out[one.key] = append([]string{}, v...) // never nil, so that it prints as []
		default:
			out[one.key] = v
		}
	}
	return out
}

// FromRecorded returns the defaults with the values of a recording's header. Values have the types of
// Recorded or those that JSON gives. A key that no setting has, that belongs to one machine, or that has
// a wrong value, is an error: such a run can't be replayed.
func FromRecorded(values map[string]any) (Settings, error) {
	s := Defaults()
	var mistakes []error
	for key, raw := range values {
		one := byKey(key)
		if one == nil || one.local {
			mistakes = append(mistakes, fmt.Errorf("recorded setting %q is none of this program", key))
			continue
		}
		if list, ok := raw.([]string); ok {
			raw = toAny(list)
		}
		v, err := one.decode(raw)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("recorded setting %s %s; allowed: %s", key, one.problem(raw, err), one.allowed()))
			continue
		}
		one.field(&s).Set(reflect.ValueOf(v))
	}
	slices.SortFunc(mistakes, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if err := errors.Join(mistakes...); err != nil {
		return Settings{}, err
	}
	return s, nil
}

func toAny(list []string) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = text
	}
	return out
}
