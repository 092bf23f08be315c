# Takes a picture of one window without touching it: nothing is focused, raised, moved or restored.
#
# Embedded in mcp-computer-use, which runs it; by hand it is of no use. ASCII only, Windows PowerShell
# 5.1 and PowerShell 7, C# 5. The request is JSON in the environment variable MCP_CU_CAPTURE_REQUEST:
#   pid        process id of the window's process, 0 where unknown
#   title      "=" and the window's full title; the sign keeps PowerShell from reading a date
#   out        absolute path of the JPEG to write; it must not exist
#   max_width  of the JPEG in pixels
#   quality    of the JPEG, 1 to 100
# The answer is one line of ASCII on stdout behind a mark: a JSON object with "ok". Exit code 0 means
# that the picture was written, 1 that it was not.

$ProgressPreference = 'SilentlyContinue'
$ErrorActionPreference = 'Stop'
$mark = 'MCP_CU_CAPTURE:'

# AppLocker and WDAC take .NET away from scripts; then this is all that can be said.
$mode = [string]$ExecutionContext.SessionState.LanguageMode
if ($mode -ne 'FullLanguage') {
    Write-Output ($mark + '{"ok":false,"code":"language","detail":"' + ($mode -replace '[^A-Za-z]', '?') + '"}')
    exit 1
}

$source = @'
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace McpCu
{
    // A top-level window as Windows lists it.
    public sealed class Window
    {
        public long Handle;
        public int Pid;
        public string Title;
        public bool Cloaked;
    }

    // Why there is no picture. Code is one of a fixed set, Detail a few ASCII characters.
    public sealed class RefusedException : Exception
    {
        public readonly string Code;
        public readonly string Detail;
        public readonly string[] Candidates;

        public RefusedException(string code, string detail, string[] candidates) : base(code)
        {
            Code = code;
            Detail = detail;
            Candidates = candidates;
        }
    }

    // Decisions without Windows, so that they can be tried anywhere.
    public static class Rules
    {
        // Choose returns the one window of that title and process. Of two of one title and process the
        // one that is on the screen counts: packaged applications have a hidden twin.
        public static Window Choose(IList<Window> all, string title, int pid)
        {
            List<Window> found = Named(all, title, pid, false);
            if (found.Count == 0) found = Named(all, title, pid, true);
            if (found.Count > 1)
            {
                List<Window> shown = found.FindAll(delegate(Window w) { return !w.Cloaked; });
                if (shown.Count > 0) found = shown;
            }
            if (found.Count == 1) return found[0];
            throw new RefusedException(found.Count == 0 ? "gone" : "ambiguous", "", Candidates(all, found, title, pid));
        }

        static List<Window> Named(IList<Window> all, string title, int pid, bool trimmed)
        {
            List<Window> found = new List<Window>();
            foreach (Window w in all)
            {
                bool same = trimmed ? w.Title.Trim() == title.Trim() : w.Title == title;
                if (same && (pid == 0 || w.Pid == pid)) found.Add(w);
            }
            return found;
        }

        static string[] Candidates(IList<Window> all, IList<Window> found, string title, int pid)
        {
            List<string> names = new List<string>();
            foreach (Window w in found.Count > 0 ? found : all)
            {
                if (found.Count == 0 && w.Title != title && (pid == 0 || w.Pid != pid)) continue;
                if (names.Count == 5) break;
                string shown = w.Title.Length > 100 ? w.Title.Substring(0, 100) : w.Title;
                names.Add(shown + " (process " + w.Pid.ToString(CultureInfo.InvariantCulture) + ")");
            }
            return names.ToArray();
        }

        // Fit is the size of the JPEG: never wider than max, never larger than the source.
        public static int[] Fit(int width, int height, int max)
        {
            if (width <= max) return new int[] { width, height };
            long scaled = ((long)height * max * 2 + width) / (2L * width);
            return new int[] { max, (int)Math.Max(scaled, 1) };
        }

        // Crop is the frame's part of the window's bitmap {x, y, width, height}: the whole bitmap where
        // the frame is empty or does not lie in the window. Rectangles are {left, top, right, bottom}.
        public static int[] Crop(int[] window, int[] frame)
        {
            bool inside = frame != null && frame[0] < frame[2] && frame[1] < frame[3] && frame[0] >= window[0]
                && frame[1] >= window[1] && frame[2] <= window[2] && frame[3] <= window[3];
            int[] part = inside ? frame : window;
            return new int[] { part[0] - window[0], part[1] - window[1], part[2] - part[0], part[3] - part[1] };
        }

        // Blank says whether each pixel of the area {x, y, width, height} has one colour.
        public static bool Blank(int[] pixels, int stride, int[] area)
        {
            int first = pixels[area[1] * stride + area[0]] & 0xffffff;
            for (int y = area[1]; y < area[1] + area[3]; y++)
            {
                int at = y * stride + area[0];
                for (int end = at + area[2]; at < end; at++)
                {
                    if ((pixels[at] & 0xffffff) != first) return false;
                }
            }
            return true;
        }

        // MaybeBlank says whether 99.5 % of about 4096 sampled pixels of the area have one colour; never
        // of less than 1024 pixels.
        public static bool MaybeBlank(int[] pixels, int stride, int[] area)
        {
            if (area[2] <= 0 || area[3] <= 0) return false;
            int columns = (int)Math.Ceiling(Math.Sqrt(4096.0 * area[2] / area[3]));
            columns = Math.Min(Math.Max(columns, 1), area[2]);
            int rows = Math.Min((4096 + columns - 1) / columns, area[3]);
            if (columns * rows < 1024) return false;
            Dictionary<int, int> counts = new Dictionary<int, int>();
            int most = 0;
            for (int j = 0; j < rows; j++)
            {
                int y = area[1] + (int)((2L * j + 1) * area[3] / (2L * rows));
                for (int i = 0; i < columns; i++)
                {
                    int x = area[0] + (int)((2L * i + 1) * area[2] / (2L * columns));
                    int color = pixels[y * stride + x] & 0xffffff;
                    int n;
                    counts.TryGetValue(color, out n);
                    counts[color] = n + 1;
                    most = Math.Max(most, n + 1);
                }
            }
            return most >= 0.995 * columns * rows;
        }

        // Json quotes a text in ASCII, so that no code page can change it.
        public static string Json(string text)
        {
            StringBuilder s = new StringBuilder("\"");
            foreach (char c in text ?? "")
            {
                if (c >= ' ' && c <= '~' && c != '"' && c != '\\') s.Append(c);
                else s.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
            }
            return s.Append('"').ToString();
        }

        public static string Json(int[] numbers)
        {
            string[] texts = Array.ConvertAll(numbers, delegate(int n) { return n.ToString(CultureInfo.InvariantCulture); });
            return "[" + string.Join(",", texts) + "]";
        }

        public static string Json(IEnumerable<string> texts)
        {
            List<string> quoted = new List<string>();
            foreach (string t in texts) quoted.Add(Json(t));
            return "[" + string.Join(",", quoted.ToArray()) + "]";
        }

        public static string Failure(string code, string detail, string[] candidates)
        {
            string line = "{\"ok\":false,\"code\":" + Json(code);
            if (!string.IsNullOrEmpty(detail)) line += ",\"detail\":" + Json(detail);
            if (candidates != null && candidates.Length > 0) line += ",\"candidates\":" + Json(candidates);
            return line + "}";
        }
    }

    static class Native
    {
        [StructLayout(LayoutKind.Sequential)]
        public struct Rect { public int Left, Top, Right, Bottom; }

        [StructLayout(LayoutKind.Sequential)]
        public struct Point { public int X, Y; }

        [StructLayout(LayoutKind.Sequential)]
        public struct BitmapInfo
        {
            public int Size, Width, Height;
            public short Planes, BitCount;
            public int Compression, SizeImage, XPels, YPels, Used, Important, Color;
        }

        public delegate bool EnumProc(IntPtr window, IntPtr data);

        [DllImport("user32.dll")] public static extern bool EnumWindows(EnumProc each, IntPtr data);
        [DllImport("user32.dll")] public static extern bool IsWindow(IntPtr window);
        [DllImport("user32.dll")] public static extern bool IsWindowVisible(IntPtr window);
        [DllImport("user32.dll")] public static extern bool IsIconic(IntPtr window);
        [DllImport("user32.dll")] public static extern bool IsHungAppWindow(IntPtr window);
        [DllImport("user32.dll", CharSet = CharSet.Unicode)] public static extern int InternalGetWindowText(IntPtr window, StringBuilder text, int length);
        [DllImport("user32.dll")] public static extern int GetWindowThreadProcessId(IntPtr window, out int pid);
        [DllImport("user32.dll")] public static extern bool GetWindowRect(IntPtr window, out Rect rect);
        [DllImport("user32.dll")] public static extern bool GetClientRect(IntPtr window, out Rect rect);
        [DllImport("user32.dll")] public static extern bool ClientToScreen(IntPtr window, ref Point point);
        [DllImport("user32.dll")] public static extern bool GetWindowDisplayAffinity(IntPtr window, out int affinity);
        [DllImport("user32.dll")] public static extern bool PrintWindow(IntPtr window, IntPtr dc, uint flags);
        [DllImport("user32.dll")] public static extern IntPtr GetDC(IntPtr window);
        [DllImport("user32.dll")] public static extern int ReleaseDC(IntPtr window, IntPtr dc);
        [DllImport("user32.dll")] public static extern IntPtr SetThreadDpiAwarenessContext(IntPtr context);
        [DllImport("user32.dll")] public static extern bool SetProcessDpiAwarenessContext(IntPtr context);
        [DllImport("user32.dll")] public static extern bool SetProcessDPIAware();
        [DllImport("user32.dll")] public static extern int GetDpiForWindow(IntPtr window);
        [DllImport("user32.dll")] public static extern IntPtr OpenInputDesktop(int flags, bool inherit, int access);
        [DllImport("user32.dll")] public static extern bool CloseDesktop(IntPtr desktop);
        [DllImport("user32.dll", CharSet = CharSet.Unicode)] public static extern bool GetUserObjectInformation(IntPtr handle, int index, StringBuilder text, int length, out int needed);
        [DllImport("gdi32.dll")] public static extern IntPtr CreateCompatibleDC(IntPtr dc);
        [DllImport("gdi32.dll")] public static extern IntPtr CreateDIBSection(IntPtr dc, ref BitmapInfo info, uint usage, out IntPtr bits, IntPtr section, uint offset);
        [DllImport("gdi32.dll")] public static extern IntPtr SelectObject(IntPtr dc, IntPtr handle);
        [DllImport("gdi32.dll")] public static extern bool DeleteObject(IntPtr handle);
        [DllImport("gdi32.dll")] public static extern bool DeleteDC(IntPtr dc);
        [DllImport("gdi32.dll")] public static extern bool GdiFlush();
        [DllImport("dwmapi.dll")] public static extern int DwmGetWindowAttribute(IntPtr window, int attribute, out int value, int size);
        [DllImport("dwmapi.dll")] public static extern int DwmGetWindowAttribute(IntPtr window, int attribute, out Rect value, int size);
        [DllImport("kernel32.dll")] public static extern IntPtr OpenProcess(int access, bool inherit, int pid);
        [DllImport("kernel32.dll")] public static extern IntPtr GetCurrentProcess();
        [DllImport("kernel32.dll")] public static extern bool CloseHandle(IntPtr handle);
        [DllImport("advapi32.dll", SetLastError = true)] public static extern bool OpenProcessToken(IntPtr process, int access, out IntPtr token);
        [DllImport("advapi32.dll")] public static extern bool GetTokenInformation(IntPtr token, int kind, IntPtr data, int length, out int needed);
        [DllImport("advapi32.dll")] public static extern IntPtr GetSidSubAuthorityCount(IntPtr sid);
        [DllImport("advapi32.dll")] public static extern IntPtr GetSidSubAuthority(IntPtr sid, int index);
    }

    // Shot is a picture in memory. The part to hand on begins at Scan0 and has Crop[2] x Crop[3] pixels
    // in lines of Stride bytes.
    public sealed class Shot : IDisposable
    {
        public Window Of;
        public int[] Rect, Crop;
        public int Stride, Dpi;
        public uint Flags;
        public IntPtr Scan0;
        public bool Blank, MaybeBlank;
        public List<string> Warnings = new List<string>();
        IntPtr dc, bitmap, before;

        const int Cloaked = 14, FrameBounds = 9;

        public static Shot Take(string title, int pid)
        {
            BeAware();
            Shot shot = new Shot();
            shot.CheckDesktop();
            shot.Of = Rules.Choose(List(), title, pid);
            IntPtr window = new IntPtr(shot.Of.Handle);
            shot.CheckWindow(window);
            try
            {
                shot.Paint(window);
                shot.Judge(window);
            }
            catch
            {
                shot.Dispose();
                throw;
            }
            return shot;
        }

        // Without awareness of each monitor's DPI Windows gives sizes that don't fit the bitmap. The
        // newer calls are missing on older Windows.
        static void BeAware()
        {
            foreach (int perMonitor in new int[] { -4, -3 })
            {
                IntPtr context = new IntPtr(perMonitor);
                try { if (Native.SetProcessDpiAwarenessContext(context)) return; } catch (EntryPointNotFoundException) { }
                try { if (Native.SetThreadDpiAwarenessContext(context) != IntPtr.Zero) return; } catch (EntryPointNotFoundException) { }
            }
            try { Native.SetProcessDPIAware(); } catch (EntryPointNotFoundException) { }
        }

        void CheckDesktop()
        {
            if (System.Diagnostics.Process.GetCurrentProcess().SessionId == 0) throw new RefusedException("session", "", null);
            IntPtr desktop = Native.OpenInputDesktop(0, false, 1);
            StringBuilder name = new StringBuilder(256);
            int needed;
            bool known = desktop != IntPtr.Zero && Native.GetUserObjectInformation(desktop, 2, name, 2 * name.Capacity, out needed);
            if (desktop != IntPtr.Zero) Native.CloseDesktop(desktop);
            if (!known || name.ToString() != "Default") Warnings.Add("locked");
        }

        static List<Window> List()
        {
            List<Window> all = new List<Window>();
            Native.EnumProc each = delegate(IntPtr handle, IntPtr data)
            {
                if (!Native.IsWindowVisible(handle)) return true;
                StringBuilder text = new StringBuilder(4096);
                Native.InternalGetWindowText(handle, text, text.Capacity);
                if (text.Length == 0) return true;
                Window w = new Window();
                w.Handle = handle.ToInt64();
                w.Title = text.ToString();
                w.Cloaked = CloakOf(handle) != 0;
                Native.GetWindowThreadProcessId(handle, out w.Pid);
                all.Add(w);
                return true;
            };
            Native.EnumWindows(each, IntPtr.Zero);
            GC.KeepAlive(each);
            return all;
        }

        static int CloakOf(IntPtr window)
        {
            int value;
            try { return Native.DwmGetWindowAttribute(window, Cloaked, out value, 4) == 0 ? value : 0; }
            catch (DllNotFoundException) { return 0; }
        }

        void CheckWindow(IntPtr window)
        {
            if (!Native.IsWindow(window)) throw new RefusedException("gone", "", null);
            if (Native.IsIconic(window)) throw new RefusedException("minimized", "", null);
            int cloak = CloakOf(window);
            if (cloak != 0) throw new RefusedException("cloaked", cloak.ToString(CultureInfo.InvariantCulture), null);
            Native.Rect r;
            if (!Native.GetWindowRect(window, out r)) throw new RefusedException("gone", "", null);
            Rect = new int[] { r.Left, r.Top, r.Right, r.Bottom };
            long width = (long)r.Right - r.Left, height = (long)r.Bottom - r.Top;
            if (width <= 0 || height <= 0) throw new RefusedException("empty", "", null);
            if (width > 32767 || height > 32767 || width * height > 50000000) throw new RefusedException("large", width + "x" + height, null);
            int affinity;
            if (Native.GetWindowDisplayAffinity(window, out affinity) && affinity != 0)
                throw new RefusedException("protected", affinity.ToString(CultureInfo.InvariantCulture), null);
            if (Native.IsHungAppWindow(window)) Warnings.Add("hung");
            int theirs = Integrity(Of.Pid), ours = Integrity(0);
            if (theirs > ours && ours >= 0 || theirs == Denied) Warnings.Add("elevated");
        }

        // What Integrity gives for a process whose token Windows refuses to show: one with more rights.
        const int Denied = -2;

        // Integrity is the level of a process (0: this one), -1 where it can't be told.
        static int Integrity(int pid)
        {
            IntPtr process = pid == 0 ? Native.GetCurrentProcess() : Native.OpenProcess(0x1000, false, pid);
            if (process == IntPtr.Zero) return -1;
            IntPtr token = IntPtr.Zero, data = IntPtr.Zero;
            try
            {
                if (!Native.OpenProcessToken(process, 8, out token)) return Marshal.GetLastWin32Error() == 5 ? Denied : -1;
                int needed;
                Native.GetTokenInformation(token, 25, IntPtr.Zero, 0, out needed);
                if (needed <= 0) return -1;
                data = Marshal.AllocHGlobal(needed);
                if (!Native.GetTokenInformation(token, 25, data, needed, out needed)) return -1;
                IntPtr sid = Marshal.ReadIntPtr(data);
                int last = Marshal.ReadByte(Native.GetSidSubAuthorityCount(sid)) - 1;
                return Marshal.ReadInt32(Native.GetSidSubAuthority(sid, last));
            }
            finally
            {
                if (data != IntPtr.Zero) Marshal.FreeHGlobal(data);
                if (token != IntPtr.Zero) Native.CloseHandle(token);
                if (pid != 0) Native.CloseHandle(process);
            }
        }

        // Paint lets the window draw itself into a bitmap of our own. The screen is never read: it could
        // show another window there.
        void Paint(IntPtr window)
        {
            int width = Rect[2] - Rect[0], height = Rect[3] - Rect[1];
            Native.BitmapInfo info = new Native.BitmapInfo();
            info.Size = 40;
            info.Width = width;
            info.Height = -height;
            info.Planes = 1;
            info.BitCount = 32;
            IntPtr screen = Native.GetDC(IntPtr.Zero), bits;
            dc = Native.CreateCompatibleDC(screen);
            bitmap = Native.CreateDIBSection(screen, ref info, 0, out bits, IntPtr.Zero, 0);
            Native.ReleaseDC(IntPtr.Zero, screen);
            if (dc == IntPtr.Zero || bitmap == IntPtr.Zero) throw new RefusedException("failed", "no bitmap", null);
            before = Native.SelectObject(dc, bitmap);
            Flags = 2;
            if (!Native.PrintWindow(window, dc, 2))
            {
                Flags = 0;
                if (!Native.PrintWindow(window, dc, 0)) throw new RefusedException(Native.IsWindow(window) ? "failed" : "gone", "PrintWindow", null);
            }
            Native.GdiFlush();
            Native.Rect frame;
            int[] visible = null;
            try
            {
                if (Native.DwmGetWindowAttribute(window, FrameBounds, out frame, 16) == 0)
                    visible = new int[] { frame.Left, frame.Top, frame.Right, frame.Bottom };
            }
            catch (DllNotFoundException) { }
            Crop = Rules.Crop(Rect, visible);
            Stride = 4 * width;
            Scan0 = new IntPtr(bits.ToInt64() + (long)Crop[1] * Stride + 4L * Crop[0]);
            Pixels = new int[width * height];
            Marshal.Copy(bits, Pixels, 0, Pixels.Length);
        }

        int[] Pixels;

        void Judge(IntPtr window)
        {
            int width = Rect[2] - Rect[0];
            Blank = Rules.Blank(Pixels, width, Crop);
            Native.Rect client;
            Native.Point corner = new Native.Point();
            if (Native.GetClientRect(window, out client) && Native.ClientToScreen(window, ref corner))
            {
                int x = Math.Max(corner.X - Rect[0], 0), y = Math.Max(corner.Y - Rect[1], 0);
                int right = Math.Min(corner.X - Rect[0] + client.Right, width);
                int bottom = Math.Min(corner.Y - Rect[1] + client.Bottom, Rect[3] - Rect[1]);
                MaybeBlank = Rules.MaybeBlank(Pixels, width, new int[] { x, y, right - x, bottom - y });
            }
            Pixels = null;
            Dpi = 96;
            try { Dpi = Native.GetDpiForWindow(window); } catch (EntryPointNotFoundException) { }
        }

        // Answer is the line about a picture that was written in the given size.
        public string Answer(int[] size)
        {
            StringBuilder s = new StringBuilder("{\"ok\":true");
            s.Append(",\"hwnd\":").Append(Of.Handle.ToString(CultureInfo.InvariantCulture));
            s.Append(",\"pid\":").Append(Of.Pid.ToString(CultureInfo.InvariantCulture));
            s.Append(",\"title\":").Append(Rules.Json(Of.Title));
            s.Append(",\"rect\":").Append(Rules.Json(Rect));
            s.Append(",\"origin\":").Append(Rules.Json(new int[] { Rect[0] + Crop[0], Rect[1] + Crop[1] }));
            s.Append(",\"source\":").Append(Rules.Json(new int[] { Crop[2], Crop[3] }));
            s.Append(",\"size\":").Append(Rules.Json(size));
            s.Append(",\"scale\":[").Append(Factor(size[0], Crop[2])).Append(',').Append(Factor(size[1], Crop[3])).Append(']');
            s.Append(",\"dpi\":").Append(Dpi.ToString(CultureInfo.InvariantCulture));
            s.Append(",\"flags\":").Append(Flags.ToString(CultureInfo.InvariantCulture));
            s.Append(",\"maybe_blank\":").Append(MaybeBlank ? "true" : "false");
            return s.Append(",\"warnings\":").Append(Rules.Json(Warnings)).Append('}').ToString();
        }

        static string Factor(int part, int whole)
        {
            return ((double)part / whole).ToString("0.########", CultureInfo.InvariantCulture);
        }

        public void Dispose()
        {
            if (dc != IntPtr.Zero && before != IntPtr.Zero) Native.SelectObject(dc, before);
            if (bitmap != IntPtr.Zero) Native.DeleteObject(bitmap);
            if (dc != IntPtr.Zero) Native.DeleteDC(dc);
            dc = bitmap = before = Scan0 = IntPtr.Zero;
        }
    }
}
'@

function Save-Jpeg($shot, [int[]]$size, [string]$out, [int]$quality) {
    $part = $out + '.part'
    $whole = $null; $small = $null; $canvas = $null; $wrap = $null; $options = $null
    try {
        $whole = New-Object System.Drawing.Bitmap($shot.Crop[2], $shot.Crop[3], $shot.Stride,
            [System.Drawing.Imaging.PixelFormat]::Format32bppRgb, $shot.Scan0)
        $small = New-Object System.Drawing.Bitmap($size[0], $size[1], [System.Drawing.Imaging.PixelFormat]::Format24bppRgb)
        $canvas = [System.Drawing.Graphics]::FromImage($small)
        $canvas.CompositingMode = [System.Drawing.Drawing2D.CompositingMode]::SourceCopy
        $canvas.InterpolationMode = [System.Drawing.Drawing2D.InterpolationMode]::HighQualityBicubic
        $canvas.PixelOffsetMode = [System.Drawing.Drawing2D.PixelOffsetMode]::HighQuality
        $wrap = New-Object System.Drawing.Imaging.ImageAttributes
        $wrap.SetWrapMode([System.Drawing.Drawing2D.WrapMode]::TileFlipXY)
        $target = New-Object System.Drawing.Rectangle(0, 0, $size[0], $size[1])
        $canvas.DrawImage($whole, $target, 0, 0, $shot.Crop[2], $shot.Crop[3], [System.Drawing.GraphicsUnit]::Pixel, $wrap)
        $codec = [System.Drawing.Imaging.ImageCodecInfo]::GetImageEncoders() | Where-Object { $_.MimeType -eq 'image/jpeg' }
        $options = New-Object System.Drawing.Imaging.EncoderParameters(1)
        $options.Param[0] = New-Object System.Drawing.Imaging.EncoderParameter([System.Drawing.Imaging.Encoder]::Quality, [long]$quality)
        $small.Save($part, $codec, $options)
        [System.IO.File]::Move($part, $out)
    } finally {
        foreach ($one in @($canvas, $wrap, $options, $small, $whole)) { if ($null -ne $one) { $one.Dispose() } }
        if ([System.IO.File]::Exists($part)) { [System.IO.File]::Delete($part) }
    }
}

$shot = $null
$step = 'request'
$exitCode = 1
try {
    $request = $env:MCP_CU_CAPTURE_REQUEST | ConvertFrom-Json
    $env:MCP_CU_CAPTURE_REQUEST = $null
    $title = ([string]$request.title).Substring(1)
    $step = 'compile'
    Add-Type -TypeDefinition $source -IgnoreWarnings
    $step = 'drawing'
    Add-Type -AssemblyName System.Drawing
    $step = 'capture'
    $shot = [McpCu.Shot]::Take($title, [int]$request.pid)
    if ($shot.Blank) {
        $line = [McpCu.Rules]::Failure('blank', '', $null)
    } else {
        $step = 'save'
        $size = [McpCu.Rules]::Fit($shot.Crop[2], $shot.Crop[3], [int]$request.max_width)
        Save-Jpeg $shot $size ([string]$request.out) ([int]$request.quality)
        $line = $shot.Answer($size)
        $exitCode = 0
    }
} catch {
    $cause = $_.Exception
    while ($null -ne $cause.InnerException) { $cause = $cause.InnerException }
    if ($cause.GetType().FullName -eq 'McpCu.RefusedException') {
        $line = [McpCu.Rules]::Failure($cause.Code, $cause.Detail, $cause.Candidates)
    } else {
        # Only the type of the error: its text can hold a title, and is in the user's language.
        $type = $cause.GetType().FullName -replace '[^A-Za-z0-9.+]', '?'
        $line = '{"ok":false,"code":"script","detail":"' + $step + ' ' + $type + '"}'
    }
} finally {
    if ($null -ne $shot) { $shot.Dispose() }
}
[Console]::Out.WriteLine($mark + $line)
exit $exitCode
