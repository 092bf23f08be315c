using System;
using System.Collections.Generic;
using McpCuOpen;

// Holds the decisions of cu-open.ps1 that need no Windows against what they should be.
static class Driver
{
    static int right, wrong;

    static void Want(string what, string want, string got)
    {
        if (want == got) { right++; return; }
        wrong++;
        Console.WriteLine(what + ": want " + want + ", got " + got);
    }

    static Window W(long handle, int pid, string process, string title)
    {
        Window w = new Window();
        w.Handle = handle;
        w.Pid = pid;
        w.Process = process;
        w.Title = title;
        return w;
    }

    static Look L(long front, params Window[] windows)
    {
        Look look = new Look();
        look.Front = front;
        look.Windows.AddRange(windows);
        return look;
    }

    // Run gives the chooser one look after the other and tells what came of each.
    static string Run(string word, int pid, Look before, params Look[] looks)
    {
        Chooser chooser = new Chooser(before, word, pid);
        List<string> said = new List<string>();
        foreach (Look look in looks)
        {
            Found f = chooser.Next(look);
            said.Add(f == null ? "-" : f.Window.Handle + f.How);
        }
        return string.Join(" ", said.ToArray());
    }

    static void Windows()
    {
        Window shell = W(1, 5, "WindowsTerminal", "PowerShell"), page = W(2, 6, "chrome", "News");
        Window frame = W(9, 70, "ApplicationFrameHost", "\u05de\u05d7\u05e9\u05d1\u05d5\u05df");
        Look before = L(1, shell, page);
        Want("nothing happens", "- - - - - -", Run("calc", 50, before, before, before, before, before, before, before));
        Want("starter ends, packaged app", "- 9new", Run("calc", 50, before, before, L(9, frame, shell, page)));
        Want("new window in the background", "9new", Run("calc", 50, before, L(1, shell, page, frame)));
        Window notes = W(10, 51, "notepad", "Untitled - Notepad"), toast = W(11, 80, "updater", "Update ready");
        Want("the named one of two new ones", "10new", Run("notepad", 0, before, L(1, toast, notes, shell, page)));
        Want("the process of two new ones", "11new", Run("", 80, before, L(10, notes, toast, shell, page)));
        Want("the one in front of two new ones", "10new", Run("", 0, before, L(10, toast, notes, shell, page)));
        Want("the uppermost of two new ones", "11new", Run("", 0, before, L(1, shell, toast, notes, page)));
        Want("two windows of one title", "12new", Run("notepad", 0, L(1, shell, notes), L(12, W(12, 52, "notepad", "Untitled - Notepad"), shell, notes)));

        Look opened = L(1, shell, notes, frame);
        Want("single instance comes forward", "10front", Run("notepad", 53, opened, L(10, notes, shell, frame)));
        Want("of another name, for two moments", "- 9front", Run("calc", 53, opened, L(9, frame, shell, notes), L(9, frame, shell, notes)));
        Want("the user walks by", "- - -", Run("calc", 53, opened, L(9, frame, shell, notes), opened, L(9, frame, shell, notes)));
        Want("in front already", "- - - 10front", Run("notepad", 53, L(10, notes, shell), L(10, notes, shell), L(10, notes, shell), L(10, notes, shell), L(10, notes, shell)));
        Want("another in front already", "- - - - -", Run("notepad", 53, opened, opened, opened, opened, opened, opened));
        Window renamed = W(10, 51, "notepad", "todo.txt - Notepad");
        Want("changed its title", "10title", Run("notepad", 53, opened, L(1, shell, renamed, frame)));
        Want("document in the title", "10title", Run("todo", 53, opened, L(1, shell, renamed, frame)));
        Want("a page changes its title", "- -", Run("notepad", 53, L(1, shell, page), L(1, shell, W(2, 6, "chrome", "Sport")), L(1, shell, W(2, 6, "chrome", "Weather"))));
        Want("new before reused", "10new", Run("notepad", 53, L(1, shell, frame), L(9, frame, notes, shell)));
        Want("front without a window in the list", "- -", Run("calc", 53, opened, L(77, opened.Windows.ToArray()), L(77, opened.Windows.ToArray())));
        Want("no front", "- -", Run("calc", 53, opened, L(0, opened.Windows.ToArray()), L(0, opened.Windows.ToArray())));
        Want("added", "Update ready", string.Join("|", Chooser.Added(before, L(1, shell, toast, page)).ToArray()));
    }

    static void Texts()
    {
        Want("word of a program", "calc", Text.Word("calc.exe"));
        Want("word of a path", "My App", Text.Word("\"C:\\Program Files\\My App.exe\""));
        Want("word of a document", "report.v2", Text.Word("C:/docs/report.v2.txt"));
        Want("word of an address", "ms-settings", Text.Word("ms-settings:display"));
        Want("word of a shell folder", "", Text.Word("shell:AppsFolder\\Microsoft.X!App"));
        Want("word without extension", "notepad", Text.Word(" notepad "));
        Want("word of nothing", "", Text.Word(null));

        Want("plain argument", "--app=Calc", Text.Quote("--app=Calc"));
        Want("argument with blanks", "\"--app=My Calc\"", Text.Quote("--app=My Calc"));
        Want("argument with quotes", "\"a\\\"b \\\\\\\"c\"", Text.Quote("a\"b \\\"c"));
        Want("backslashes at the end", "\"a b\\\\\"", Text.Quote("a b\\"));
        Want("backslashes inside", "C:\\a\\b", Text.Quote("C:\\a\\b"));
        Want("empty argument", "\"\"", Text.Quote(""));

        Want("JSON keeps letters", "\"\u05d0\ud83d\ude00<>&\"", Text.Json("\u05d0\ud83d\ude00<>&"));
        Want("JSON escapes", "\"\\u0022\\u005c\\u000a\\u2028\\ud83d\"", Text.Json("\"\\\n\u2028\ud83d"));
        Found f = new Found();
        f.Window = W(9, 16708, "ApplicationFrameHost", "\u05de\u05d7");
        Want("success", "{\"ok\":true,\"app\":\"\u05de\u05d7\",\"title\":\"\u05de\u05d7\",\"process\":\"ApplicationFrameHost\",\"pid\":16708,\"seconds\":1.8,\"hint\":\"h\",\"verified\":true}",
            Text.Success(f, 1.84, "h", true));
        Want("success without a hint", "{\"ok\":true,\"app\":\"\u05de\u05d7\",\"title\":\"\u05de\u05d7\",\"process\":\"ApplicationFrameHost\",\"pid\":16708,\"seconds\":15.0,\"verified\":false}",
            Text.Success(f, 15, "", false));
        Want("failure", "{\"ok\":false,\"error\":\"e\",\"new_windows_seen\":[\"a\",\"b\"],\"frontmost\":\"\u05d0\"}",
            Text.Failure("e", new string[] { "a", "b" }, "\u05d0"));
    }

    static int Main()
    {
        Windows();
        Texts();
        Console.WriteLine(wrong == 0 ? right + " decisions are right" : wrong + " decisions are wrong");
        return wrong;
    }
}
