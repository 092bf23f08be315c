package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// The limits of spec/style.md, "Targets".
const (
	maxFileLines     = 600
	maxFunctionLines = 40
	shortFunctions   = 0.90 // share of functions that keep maxFunctionLines
)

// rules are the checks of a single file that need nothing else.
func rules() map[string]func(source) []string {
	return map[string]func(source) []string{
		"formatting": unformatted, "file size": longFile, "doc comments": undocumented, "init": initFunctions,
		"package state": packageState, "calls": badCalls, "contexts": badContexts, "names": badPackageName,
	}
}

func TestRules(t *testing.T) {
	list := sources(t)
	for what, rule := range rules() {
		t.Run(what, func(t *testing.T) {
			var problems []string
			for _, s := range list {
				problems = append(problems, rule(s)...)
			}
			report(t, problems)
		})
	}
}

func unformatted(s source) []string {
	if isFormatted(s) {
		return nil
	}
	return []string{s.file + ": is not formatted as gofmt does"}
}

func longFile(s source) []string {
	if n := strings.Count(string(s.text), "\n"); n > maxFileLines {
		return []string{fmt.Sprintf("%s: %d lines, at most %d", s.file, n, maxFileLines)}
	}
	return nil
}

// undocumented lists the exported names without a doc comment. In a group of constants or variables
// the group's comment counts for all.
func undocumented(s source) []string {
	if s.isTest() {
		return nil
	}
	var problems []string
	miss := func(id *ast.Ident, what string) {
		problems = append(problems, fmt.Sprintf("%s: %s %s has no doc comment", s.at(id.Pos()), what, id.Name))
	}
	for _, decl := range s.ast.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.IsExported() && isExportedReceiver(decl) && empty(decl.Doc) {
				miss(decl.Name, "function")
			}
		case *ast.GenDecl:
			for _, id := range undocumentedSpecs(decl) {
				miss(id, decl.Tok.String())
			}
		}
	}
	return problems
}

func undocumentedSpecs(decl *ast.GenDecl) []*ast.Ident {
	var list []*ast.Ident
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && empty(spec.Doc) && (decl.Lparen.IsValid() || empty(decl.Doc)) {
				list = append(list, spec.Name)
			}
			list = append(list, undocumentedMethods(spec)...)
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				if id.IsExported() && empty(spec.Doc) && empty(spec.Comment) && empty(decl.Doc) {
					list = append(list, id)
				}
			}
		}
	}
	return list
}

// undocumentedMethods lists the methods of an exported interface without a comment. One method alone
// may be described by the interface's comment.
func undocumentedMethods(spec *ast.TypeSpec) []*ast.Ident {
	face, ok := spec.Type.(*ast.InterfaceType)
	if !ok || !spec.Name.IsExported() || face.Methods.NumFields() < 2 {
		return nil
	}
	var list []*ast.Ident
	for _, method := range face.Methods.List {
		for _, id := range method.Names {
			if id.IsExported() && empty(method.Doc) && empty(method.Comment) {
				list = append(list, id)
			}
		}
	}
	return list
}

func empty(doc *ast.CommentGroup) bool { return doc == nil || strings.TrimSpace(doc.Text()) == "" }

func isExportedReceiver(decl *ast.FuncDecl) bool {
	if decl.Recv == nil {
		return true
	}
	kind := decl.Recv.List[0].Type
	for {
		switch t := kind.(type) {
		case *ast.StarExpr:
			kind = t.X
		case *ast.IndexExpr:
			kind = t.X
		case *ast.IndexListExpr:
			kind = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

func initFunctions(s source) []string {
	var problems []string
	for _, decl := range s.ast.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			problems = append(problems, s.at(f.Pos())+": init functions run unseen; build the value in a function")
		}
	}
	return problems
}

// packageState lists variables of a package that are written after its start, or whose type exists to
// be written.
func packageState(s source) []string {
	if s.isTest() {
		return nil
	}
	var problems []string
	for _, decl := range s.ast.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR && isStateful(v.Type) {
					problems = append(problems, s.at(v.Pos())+": a lock or counter of the whole package; put it into a struct")
				}
			}
		case *ast.FuncDecl:
			ast.Inspect(decl, func(n ast.Node) bool {
				for _, target := range written(n) {
					if id := rootOf(target); id != nil && isPackageVar(s, id) && !guardsOutput(s, target) {
						problems = append(problems, fmt.Sprintf("%s: %s of the package is changed", s.at(n.Pos()), id.Name))
					}
				}
				return true
			})
		}
	}
	return problems
}

// guardsOutput says that main hands the name os.Stdout to something else, so that a library which prints
// does not do so between the lines of the protocol.
func guardsOutput(s source, target ast.Expr) bool {
	sel, ok := target.(*ast.SelectorExpr)
	return ok && s.pkg() == "." && sel.Sel.Name == "Stdout"
}

func isStateful(kind ast.Expr) bool {
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if index, ok := kind.(*ast.IndexExpr); ok {
		kind = index.X
	}
	sel, ok := kind.(*ast.SelectorExpr)
	if !ok {
		_, isChan := kind.(*ast.ChanType)
		return isChan
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && (id.Name == "sync" || id.Name == "atomic")
}

// written lists what a statement assigns to.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// rootOf is the variable that an expression is a part of, or nil.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// isPackageVar says whether a name that is written to belongs to the package: it is declared at the
// top of this file, or nowhere in it and is no import.
func isPackageVar(s source, id *ast.Ident) bool {
	if id.Name == "_" {
		return false
	}
	if id.Obj != nil {
		return s.ast.Scope.Lookup(id.Name) == id.Obj && id.Obj.Kind == ast.Var
	}
	return true
}

// badCalls lists calls that end the process or write to its streams from below.
func badCalls(s source) []string {
	if s.isTest() {
		return nil
	}
	var problems []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || id.Obj != nil {
			return true
		}
		call := id.Name + "." + sel.Sel.Name
		switch {
		case call == "os.Exit" && s.pkg() != ".":
			problems = append(problems, s.at(n.Pos())+": os.Exit outside of main skips every clean-up")
		case id.Name == "log" && slices.Contains([]string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"}, sel.Sel.Name):
			problems = append(problems, s.at(n.Pos())+": "+call+" ends the process from below; return an error")
		case slices.Contains([]string{"fmt.Print", "fmt.Printf", "fmt.Println"}, call):
			problems = append(problems, s.at(n.Pos())+": "+call+" writes into the protocol on stdout; write to a given writer")
		case slices.Contains([]string{"os.Stdin", "os.Stdout", "os.Stderr"}, call) && s.pkg() != ".":
			problems = append(problems, s.at(n.Pos())+": "+call+" outside of main; streams are passed in")
		}
		return true
	})
	return problems
}

// badContexts lists contexts that are kept, or that come late.
func badContexts(s source) []string {
	if s.isTest() {
		return nil
	}
	var problems []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if isContext(field.Type) {
					problems = append(problems, s.at(field.Pos())+": a context is kept in a struct; it belongs to one call")
				}
			}
		case *ast.FuncType:
			for i, field := range n.Params.List {
				if i > 0 && isContext(field.Type) {
					problems = append(problems, s.at(field.Pos())+": the context is the first parameter")
				}
			}
		}
		return true
	})
	return problems
}

func isContext(kind ast.Expr) bool {
	sel, ok := kind.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == "context" && sel.Sel.Name == "Context"
}

// badPackageName refuses names that say nothing and names that hide a package of the standard library.
func badPackageName(s source) []string {
	pkg := strings.TrimSuffix(s.ast.Name.Name, "_test")
	if slices.Contains(strings.Fields(vagueNames+standardNames), pkg) {
		return []string{fmt.Sprintf("%s: %s is no name for a package: it says nothing or hides one of the standard library", s.file, pkg)}
	}
	if want := name(s.pkg()); s.pkg() != "." && pkg != want {
		return []string{fmt.Sprintf("%s: package %s in a folder %s", s.file, pkg, want)}
	}
	return nil
}

const vagueNames = "utils util common helpers helper misc shared base core lib types models "

const standardNames = `adler32 aes asn1 ascii85 ast atomic base32 base64 big binary bits bufio build buildinfo builtin bytes bzip2
	cgi cgo cmp cmplx color comment constant context cookiejar coverage crc32 crc64 crypto csv debug des doc draw driver dsa dwarf
	ecdh ecdsa ed25519 elf elliptic embed encoding errors exec expvar fcgi filepath flag flate fmt fnv format fs fstest gif gob
	gosym gzip hash heap hex hkdf hmac html http httptest httptrace httputil image importer io ioutil iotest iter jpeg json jsonrpc
	list log lzw macho mail maphash maps math md5 metrics mime mlkem multipart net netip os palette parse parser path pbkdf2 pe pem
	pkix plan9obj plugin png pprof printer quick quotedprintable race rand rc4 reflect regexp ring rpc rsa runtime scanner sha1
	sha256 sha3 sha512 signal slices slogtest smtp sort sql strconv strings structs subtle suffixarray sync synctest syntax syscall
	syslog tabwriter tar template testing textproto time tls token trace types tzdata unicode unique unsafe url user utf16 utf8
	version weak x509 xml zip zlib slog`

func TestEveryPackageHasOneComment(t *testing.T) {
	var problems []string
	for pkg, files := range packages(sources(t)) {
		problems = append(problems, packageComments(pkg, files)...)
	}
	report(t, problems)
}

// packageComments wants exactly one package comment, in a file that is no test, in the usual form.
func packageComments(pkg string, files []source) []string {
	var found, problems []string
	for _, s := range files {
		if empty(s.ast.Doc) {
			continue
		}
		found = append(found, s.file)
		start := "Package " + s.ast.Name.Name + " "
		if s.ast.Name.Name == "main" {
			start = "Command "
		}
		if !strings.HasPrefix(s.ast.Doc.Text(), start) {
			problems = append(problems, fmt.Sprintf("%s: the package comment does not begin with %q", s.file, start))
		}
		if s.isTest() {
			problems = append(problems, s.file+": the package comment stands in a test")
		}
	}
	if len(found) != 1 {
		problems = append(problems, fmt.Sprintf("%s: %d package comments %v, want one", pkg, len(found), found))
	}
	return problems
}

func TestFunctionsAreShort(t *testing.T) {
	var all int
	var long []string
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				all++
				if n := s.lines(f.Pos(), f.End()); n > maxFunctionLines {
					long = append(long, fmt.Sprintf("%s: %s has %d lines", s.at(f.Pos()), f.Name.Name, n))
				}
			}
		}
	}
	if share := 1 - float64(len(long))/float64(all); share < shortFunctions {
		t.Errorf("only %.0f of 100 functions have at most %d lines, want %.0f:", 100*share, maxFunctionLines, 100*shortFunctions)
		report(t, long)
	}
}

func TestDataFoldersHoldNoCode(t *testing.T) {
	for _, s := range sources(t) {
		top, _, _ := strings.Cut(s.file, "/")
		if slices.Contains([]string{"fixtures", "docs", "scripts"}, top) {
			t.Errorf("%s: code in a folder for data", s.file)
		}
	}
}
