package extractors

import (
	"strings"
	"unicode"
)

// frameButtons belong to every window or dialog and answer nothing.
var frameButtons = set("Close", "Minimize", "Maximize", "Restore", "Help", "System", "Close Dialog",
	"Clear Notification", "Schließen", "Minimieren", "Maximieren", "סגור", "מזער", "הגדל")

// idleButtons handle the text beside them, as below an answer in a chat. None answers a question.
var idleButtons = []string{"copy", "helpful", "unhelpful", "not helpful", "retry", "regenerate", "like", "dislike", "good response",
	"bad response", "thumbs up", "thumbs down", "give positive feedback", "give negative feedback", "read aloud", "edit", "undo", "redo", "share",
	"more actions", "insert at cursor", "insert into terminal", "apply in editor", "learn more", "report issue", "show more", "show less"}

func idleButton(name string) bool {
	name = strings.ToLower(name)
	for _, idle := range idleButtons {
		if name == idle || strings.HasPrefix(name, "copy ") || strings.HasPrefix(name, idle+" (") {
			return true
		}
	}
	return false
}

// shortAnswers are whole answers, alone or before a comma: "Yes, I trust the authors". Lower case, in the
// languages of these editors.
var shortAnswers = set("yes", "no", "ok", "no thanks", "no to all", "yes to all", "always", "never", "later", "ja", "nein", "oui", "non", "sí", "sim", "não",
	"sì", "tak", "nie", "ano", "ne", "evet", "hayır")

// answerWords begin the other answers of modal prompts: "Save All", "Don't Save".
var answerWords = []string{
	"cancel", "save", "don't save", "discard", "delete", "move to", "replace", "overwrite", "install", "trust", "don't trust",
	"not now", "deny", "allow", "restart", "reload window", "revert", "exit", "quit", "close anyway", "continue anyway", // English
	"abbrechen", "speichern", "nicht speichern", "alle speichern", "verwerfen", "löschen", "ersetzen", "überschreiben", "installieren", // German
	"annuler", "enregistrer", "ne pas enregistrer", "tout enregistrer", "supprimer", "remplacer", "écraser", "installer", // French
	"cancelar", "guardar", "no guardar", "guardar todo", "eliminar", "reemplazar", "sobrescribir", "instalar", // Spanish
	"salvar", "não salvar", "salvar tudo", "excluir", "substituir", // Portuguese
	"annulla", "salva", "non salvare", "salva tutto", "elimina", "sostituisci", "installa", // Italian
	"anuluj", "zapisz", "nie zapisuj", "usuń", "zamień", "zainstaluj", // Polish
	"zrušit", "storno", "uložit", "neukládat", "odstranit", "nahradit", // Czech
	"iptal", "kaydet", "kaydetme", "sil", "değiştir", "yükle", // Turkish
}

// isAnswer says whether a button is one of the answers that modal prompts offer. In a script other than
// Latin any named button counts, since its words are not listed here.
func isAnswer(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "’", "'"))
	if short, _, _ := strings.Cut(name, ","); shortAnswers[short] {
		return true
	}
	for _, word := range answerWords {
		if rest, found := strings.CutPrefix(name, word); found && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	latin := strings.IndexFunc(name, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) >= 0
	return !latin && strings.IndexFunc(name, unicode.IsLetter) >= 0
}
