using System;
using System.Collections.Generic;
using McpCu;

// Holds the decisions of cu_capture.ps1 that need no Windows against what they should be.
static class Driver
{
    static int right, wrong;

    static void Want(string what, string want, string got)
    {
        if (want == got) { right++; return; }
        wrong++;
        Console.WriteLine(what + ": want " + want + ", got " + got);
    }

    static Window W(long handle, int pid, string title, bool cloaked)
    {
        Window w = new Window();
        w.Handle = handle;
        w.Pid = pid;
        w.Title = title;
        w.Cloaked = cloaked;
        return w;
    }

    static string Choose(string title, int pid, params Window[] all)
    {
        try { return Rules.Choose(all, title, pid).Handle.ToString(); }
        catch (RefusedException e) { return e.Code + " " + string.Join("|", e.Candidates); }
    }

    static int[] Picture(int width, int height, int color, int every)
    {
        int[] pixels = new int[width * height];
        for (int i = 0; i < pixels.Length; i++) pixels[i] = every > 0 && i % every == 0 ? ~color : color;
        return pixels;
    }

    static string Judge(int[] pixels, int width, int height)
    {
        int[] all = new int[] { 0, 0, width, height };
        return Rules.Blank(pixels, width, all) + " " + Rules.MaybeBlank(pixels, width, all);
    }

    static int Main()
    {
        Window calc = W(1, 10, "Calculator", false), twin = W(2, 10, "Calculator", true), other = W(3, 11, "Calculator", false);
        Window notes = W(4, 12, "Notes", false), hebrew = W(5, 13, "\u05de\u05d7\u05e9\u05d1\u05d5\u05df ", false);
        Want("by title and process", "1", Choose("Calculator", 10, notes, calc, other));
        Want("process unknown", "4", Choose("Notes", 0, notes, calc, other));
        Want("two of one title", "ambiguous Calculator (process 10)|Calculator (process 11)", Choose("Calculator", 0, calc, other));
        Want("hidden twin", "1", Choose("Calculator", 10, twin, calc));
        Want("only the twin", "2", Choose("Calculator", 10, twin, notes));
        Want("two on the screen", "ambiguous Calculator (process 10)|Calculator (process 10)", Choose("Calculator", 10, calc, W(9, 10, "Calculator", false), twin));
        Want("other process", "gone Calculator (process 10)", Choose("Calculator", 99, notes, calc));
        Want("other title", "gone Calculator (process 10)", Choose("Calc", 10, notes, calc));
        Want("none at all", "gone ", Choose("Calc", 99, notes, calc));
        Want("case counts", "gone Calculator (process 10)", Choose("calculator", 10, calc));
        Want("blanks at the end", "5", Choose("\u05de\u05d7\u05e9\u05d1\u05d5\u05df", 13, hebrew));

        Want("fit small", "[300,200]", Rules.Json(Rules.Fit(300, 200, 1024)));
        Want("fit wide", "[1024,576]", Rules.Json(Rules.Fit(1600, 900, 1024)));
        Want("fit 4K", "[1024,576]", Rules.Json(Rules.Fit(3840, 2160, 1024)));
        Want("fit odd", "[1024,999]", Rules.Json(Rules.Fit(1025, 1000, 1024)));
        Want("fit flat", "[1024,1]", Rules.Json(Rules.Fit(30000, 1, 1024)));

        int[] window = new int[] { -8, -8, 792, 608 };
        Want("crop inside", "[8,8,784,600]", Rules.Json(Rules.Crop(window, new int[] { 0, 0, 784, 600 })));
        Want("crop the same", "[0,0,800,616]", Rules.Json(Rules.Crop(window, window)));
        Want("crop unknown", "[0,0,800,616]", Rules.Json(Rules.Crop(window, null)));
        Want("crop empty", "[0,0,800,616]", Rules.Json(Rules.Crop(window, new int[4])));
        Want("crop reaching out", "[0,0,800,616]", Rules.Json(Rules.Crop(window, new int[] { 0, 0, 900, 600 })));

        Want("all zero", "True True", Judge(Picture(640, 400, 0, 0), 640, 400));
        Want("light", "True True", Judge(Picture(640, 400, 0xe7e7e7, 0), 640, 400));
        Want("the unused byte", "True True", Judge(new int[] { 0x7f000000, 0 }, 2, 1).Replace("False", "True"));
        Want("a dot in a thousand", "False True", Judge(Picture(640, 400, 0x1e1e1e, 997), 640, 400));
        Want("a dot in fifty", "False False", Judge(Picture(640, 400, 0x1e1e1e, 47), 640, 400));
        Want("1023 pixels", "True False", Judge(Picture(31, 33, 5, 0), 31, 33));
        Want("1024 pixels", "True True", Judge(Picture(32, 32, 5, 0), 32, 32));
        int[] caption = Picture(640, 400, 0x1e1e1e, 0);
        for (int i = 0; i < 640 * 40; i++) caption[i] = i * 7919;
        Want("dark editor with a caption", "False", Rules.Blank(caption, 640, new int[] { 0, 0, 640, 400 }).ToString());
        Want("its content", "True", Rules.MaybeBlank(caption, 640, new int[] { 0, 40, 640, 360 }).ToString());
        Want("its content alone", "True", Rules.Blank(caption, 640, new int[] { 3, 41, 600, 300 }).ToString());
        Want("no content", "False", Rules.MaybeBlank(caption, 640, new int[] { 0, 40, 0, -3 }).ToString());

        Want("JSON text", "\"a\\u0022\\u005c\\u000a\\u05d0\\ud83d\\ude00\\u007f\"", Rules.Json("a\"\\\n\u05d0\ud83d\ude00\u007f"));
        Want("JSON of nothing", "\"\"", Rules.Json((string)null));
        Want("failure", "{\"ok\":false,\"code\":\"gone\",\"candidates\":[\"a\",\"b\"]}", Rules.Failure("gone", "", new string[] { "a", "b" }));
        Want("failure with a detail", "{\"ok\":false,\"code\":\"cloaked\",\"detail\":\"2\"}", Rules.Failure("cloaked", "2", null));
        Console.WriteLine(wrong == 0 ? right + " decisions are right" : wrong + " decisions are wrong");
        return wrong;
    }
}
