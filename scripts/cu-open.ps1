# Opens an application and waits until its window is there.
#
#   powershell -ExecutionPolicy Bypass -File cu-open.ps1 calc.exe
#   powershell -ExecutionPolicy Bypass -File cu-open.ps1 notepad.exe -Args 'C:\notes.txt' -TimeoutSec 30
#
# The application is whatever the shell can open: a program, a path, a document, or an address such as
# calculator:, ms-settings:display or shell:AppsFolder\... Several arguments stand in one string; one that
# begins with a dash needs a blank before it (-Args ' -n'), or PowerShell takes it for its own.
#
# One line of JSON is written to stdout, UTF-8 without a BOM:
#   {"ok":true,"app","title","process","pid","seconds","hint","verified"}; "app" is for agent-cu's -a
#   {"ok":false,"error","new_windows_seen","frontmost"}
# Exit code 0: a window is there. 1: there is none within -TimeoutSec seconds, or the call was wrong.
# The window is read once with agent-cu to see that its name works (-NoVerify leaves that out); where
# only agent-cu's batch file is found, it is not, since cmd.exe would read the title as a command.
#
# No window is closed or moved, and nothing is started twice. ASCII only; Windows PowerShell 5.1 and
# PowerShell 7; C# 5.
[CmdletBinding()]
param(
    [Parameter(Position = 0)][string]$App,
    [Alias('Args')][string]$ArgumentList,
    [double]$TimeoutSec = 15,
    [switch]$NoVerify
)

$ProgressPreference = 'SilentlyContinue'
$ErrorActionPreference = 'Stop'

# AppLocker and WDAC take .NET away from scripts; then this is all that can be said.
if ([string]$ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
    Write-Output '{"ok":false,"error":"PowerShell runs in a restricted language mode","new_windows_seen":[],"frontmost":""}'
    exit 1
}

$source = @'
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace McpCuOpen
{
    public sealed class Window
    {
        public long Handle;
        public int Pid;
        public string Title = "";
        public string Process = "";
    }

    // The windows at one moment, the uppermost first.
    public sealed class Look
    {
        public List<Window> Windows = new List<Window>();
        public long Front;

        public Window Find(long handle)
        {
            return Windows.Find(delegate(Window w) { return w.Handle == handle; });
        }
    }

    public sealed class Found
    {
        public Window Window;
        public string How = ""; // new, front, title
    }

    // Chooser decides which window belongs to what was opened, by the difference between the windows
    // before and after. The process that was started is a hint only: small starters end before a window
    // shows, and packaged applications live in a process of another name.
    public sealed class Chooser
    {
        readonly Look before;
        readonly string word;
        readonly int pid;
        long front;
        int steady;

        // word is the program's or document's name without folder and extension, "" where there is none;
        // pid that of the started process, 0 where unknown.
        public Chooser(Look before, string word, int pid)
        {
            this.before = before;
            this.word = word ?? "";
            this.pid = pid;
            front = before.Front;
        }

        // Next takes the windows at the next moment and returns the opened one, or null.
        public Found Next(Look now)
        {
            steady = now.Front == front ? steady + 1 : 1;
            front = now.Front;
            Found found = NewWindow(now);
            if (found == null) found = Reused(now);
            return found;
        }

        Found NewWindow(Look now)
        {
            Window best = null;
            int rank = 0;
            foreach (Window w in now.Windows)
            {
                if (before.Find(w.Handle) != null) continue;
                int r = 1;
                if (w.Handle == now.Front) r = 2;
                if (IsRelated(w)) r += 2;
                if (pid != 0 && w.Pid == pid) r += 4;
                if (r > rank) { best = w; rank = r; }
            }
            return best == null ? null : Result(best, "new");
        }

        // An application that allows one window brings it forward or gives it another title. A window
        // that has nothing to do with the name has to stay in front for two moments: the user may be
        // walking through the windows.
        Found Reused(Look now)
        {
            Window w = now.Find(now.Front);
            bool related = w != null && IsRelated(w);
            if (w != null && now.Front != before.Front && (related || steady >= 2)) return Result(w, "front");
            if (related && steady >= 4) return Result(w, "front");
            foreach (Window one in now.Windows)
            {
                Window old = before.Find(one.Handle);
                if (old != null && old.Title != one.Title && IsRelated(one)) return Result(one, "title");
            }
            return null;
        }

        bool IsRelated(Window w)
        {
            if (word.Length == 0) return false;
            if (string.Equals(w.Process, word, StringComparison.OrdinalIgnoreCase)) return true;
            return word.Length > 2 && w.Title.IndexOf(word, StringComparison.OrdinalIgnoreCase) >= 0;
        }

        static Found Result(Window w, string how)
        {
            Found f = new Found();
            f.Window = w;
            f.How = how;
            return f;
        }

        // Titles of windows that were not there before.
        public static List<string> Added(Look before, Look now)
        {
            List<string> titles = new List<string>();
            foreach (Window w in now.Windows)
            {
                if (before.Find(w.Handle) == null) titles.Add(w.Title);
            }
            return titles;
        }
    }

    public static class Text
    {
        // Word is what of an application's name can appear in a process name or a title.
        public static string Word(string app)
        {
            string s = (app ?? "").Trim().Trim('"');
            if (s.StartsWith("shell:", StringComparison.OrdinalIgnoreCase)) return "";
            int slash = s.LastIndexOfAny(new char[] { '\\', '/' });
            int colon = s.IndexOf(':');
            if (colon > 1) return s.Substring(0, colon);
            if (slash >= 0) s = s.Substring(slash + 1);
            int dot = s.LastIndexOf('.');
            return dot > 0 ? s.Substring(0, dot) : s;
        }

        // Quote writes one argument so that the usual reader of a command line gives it back.
        public static string Quote(string argument)
        {
            if (argument.Length > 0 && argument.IndexOfAny(new char[] { ' ', '\t', '\n', '\v', '"' }) < 0) return argument;
            StringBuilder s = new StringBuilder("\"");
            int slashes = 0;
            foreach (char c in argument)
            {
                if (c == '\\') { slashes++; continue; }
                if (c == '"') s.Append('\\', 2 * slashes + 1);
                else s.Append('\\', slashes);
                slashes = 0;
                s.Append(c);
            }
            return s.Append('\\', 2 * slashes).Append('"').ToString();
        }

        // Json quotes a text; letters of all languages stay as they are.
        public static string Json(string text)
        {
            StringBuilder s = new StringBuilder("\"");
            string t = text ?? "";
            for (int i = 0; i < t.Length; i++)
            {
                char c = t[i];
                bool pair = i + 1 < t.Length && char.IsSurrogatePair(c, t[i + 1]);
                if (pair) s.Append(c).Append(t[++i]);
                else if (c < ' ' || c == '"' || c == '\\' || c == '\u007f' || c == '\u2028' || c == '\u2029' || char.IsSurrogate(c))
                    s.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else s.Append(c);
            }
            return s.Append('"').ToString();
        }

        public static string Success(Found found, double seconds, string hint, bool verified)
        {
            Window w = found.Window;
            StringBuilder s = new StringBuilder("{\"ok\":true");
            s.Append(",\"app\":").Append(Json(w.Title)).Append(",\"title\":").Append(Json(w.Title));
            s.Append(",\"process\":").Append(Json(w.Process));
            s.Append(",\"pid\":").Append(w.Pid.ToString(CultureInfo.InvariantCulture));
            s.Append(",\"seconds\":").Append(seconds.ToString("0.0", CultureInfo.InvariantCulture));
            if (!string.IsNullOrEmpty(hint)) s.Append(",\"hint\":").Append(Json(hint));
            return s.Append(",\"verified\":").Append(verified ? "true" : "false").Append('}').ToString();
        }

        public static string Failure(string error, IEnumerable<string> seen, string front)
        {
            List<string> titles = new List<string>();
            foreach (string t in seen) titles.Add(Json(t));
            return "{\"ok\":false,\"error\":" + Json(error) + ",\"new_windows_seen\":["
                + string.Join(",", titles.ToArray()) + "],\"frontmost\":" + Json(front) + "}";
        }
    }

    public static class Desktop
    {
        delegate bool EnumProc(IntPtr window, IntPtr data);
        [DllImport("user32.dll")] static extern bool EnumWindows(EnumProc each, IntPtr data);
        [DllImport("user32.dll")] static extern bool IsWindowVisible(IntPtr window);
        [DllImport("user32.dll")] static extern IntPtr GetWindow(IntPtr window, uint kind);
        [DllImport("user32.dll")] static extern IntPtr GetForegroundWindow();
        [DllImport("user32.dll", CharSet = CharSet.Unicode)] static extern int InternalGetWindowText(IntPtr window, StringBuilder text, int length);
        [DllImport("user32.dll")] static extern int GetWindowThreadProcessId(IntPtr window, out int pid);
        [DllImport("dwmapi.dll")] static extern int DwmGetWindowAttribute(IntPtr window, int attribute, out int value, int size);

        // Now lists the top-level windows that a user sees as such: visible, with a title, not owned by
        // another one and not cloaked, as a packaged application's hidden twin is.
        public static Look Now()
        {
            Look look = new Look();
            look.Front = GetForegroundWindow().ToInt64();
            Dictionary<int, string> names = new Dictionary<int, string>();
            EnumProc each = delegate(IntPtr handle, IntPtr data)
            {
                if (!IsWindowVisible(handle) || GetWindow(handle, 4) != IntPtr.Zero || IsCloaked(handle)) return true;
                StringBuilder text = new StringBuilder(4096);
                InternalGetWindowText(handle, text, text.Capacity);
                if (text.Length == 0) return true;
                Window w = new Window();
                w.Handle = handle.ToInt64();
                w.Title = text.ToString();
                GetWindowThreadProcessId(handle, out w.Pid);
                if (!names.ContainsKey(w.Pid)) names[w.Pid] = NameOf(w.Pid);
                w.Process = names[w.Pid];
                look.Windows.Add(w);
                return true;
            };
            EnumWindows(each, IntPtr.Zero);
            GC.KeepAlive(each);
            return look;
        }

        static bool IsCloaked(IntPtr window)
        {
            int value;
            try { return DwmGetWindowAttribute(window, 14, out value, 4) == 0 && value != 0; }
            catch (DllNotFoundException) { return false; }
        }

        static string NameOf(int pid)
        {
            try { return System.Diagnostics.Process.GetProcessById(pid).ProcessName; }
            catch (Exception) { return ""; }
        }
    }
}
'@

# Writes the line in UTF-8 whatever the console's code page is.
function Write-Line([string]$line) {
    $utf8 = New-Object System.Text.UTF8Encoding($false)
    $redirected = $true
    try { $redirected = [Console]::IsOutputRedirected } catch { }
    if (-not $redirected) {
        $old = [Console]::OutputEncoding
        try {
            try { [Console]::OutputEncoding = $utf8 } catch { }
            [Console]::Out.WriteLine($line)
        } finally {
            try { [Console]::OutputEncoding = $old } catch { }
        }
        return
    }
    $bytes = $utf8.GetBytes($line + "`n")
    $stream = [Console]::OpenStandardOutput()
    $stream.Write($bytes, 0, $bytes.Length)
    $stream.Flush()
}

# Opens through the shell, which passes none of our handles on: a program that held our output would
# keep the caller waiting until it is closed. Returns the process id, 0 where the shell started none.
function Open-App([string]$app, [string]$arguments) {
    $start = New-Object System.Diagnostics.ProcessStartInfo
    $start.UseShellExecute = $true
    $start.FileName = $app
    if ($app -match '[\\/]' -and (Test-Path -LiteralPath $app -ErrorAction SilentlyContinue)) {
        $start.FileName = (Resolve-Path -LiteralPath $app).ProviderPath
    }
    if ($arguments) { $start.Arguments = $arguments }
    $process = [System.Diagnostics.Process]::Start($start)
    if ($null -eq $process) { return 0 }
    return $process.Id
}

# The native agent-cu, or nothing. Batch files are never run: cmd.exe would read a window's title as a
# part of its command line.
function Find-AgentCu {
    # File.Exists says no to what Test-Path ends the script for: a folder of PATH with a forbidden sign.
    $configured = [string]$env:MCP_CU_AGENT_CU_CMD
    if ($configured -match '\.exe$' -and [System.IO.File]::Exists($configured) -and [System.IO.Path]::IsPathRooted($configured)) {
        return $configured
    }
    $folders = @(([string]$env:PATH).Split(';') | ForEach-Object { $_.Trim('"') } | Where-Object { $_ -match '^([A-Za-z]:[\\/]|\\\\)' })
    foreach ($folder in $folders) {
        $exe = $folder.TrimEnd('\') + '\agent-cu.exe'
        if ([System.IO.File]::Exists($exe)) { return $exe }
    }
    foreach ($folder in $folders) {
        $base = $folder.TrimEnd('\')
        if (-not [System.IO.File]::Exists($base + '\agent-cu.cmd')) { continue }
        foreach ($package in @('agent-cu', '@kortix-ai\agent-computer-use', 'agent-computer-use', 'agent-click')) {
            $exe = $base + '\node_modules\' + $package + '\bin\agent-computer-use-windows-x64.exe'
            if ([System.IO.File]::Exists($exe)) { return $exe }
        }
    }
    return $null
}

# Whether agent-cu can read the window with that title, within the milliseconds given; one that can't be
# started reads nothing, and the window is there all the same. It gets a home of its own: in the user's it
# would renumber the elements of whoever else is using it.
function Test-Snapshot([string]$exe, [string]$title, [int]$limit) {
    $start = New-Object System.Diagnostics.ProcessStartInfo
    $start.FileName = $exe
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.RedirectStandardInput = $true
    $start.Arguments = 'snapshot -i -c --no-cdp ' + [McpCuOpen.Text]::Quote('--app=' + $title)
    $homeFolder = [System.IO.Path]::Combine([System.IO.Path]::GetTempPath(), 'cu-open-' + [Guid]::NewGuid().ToString('N'))
    $start.EnvironmentVariables['HOME'] = $homeFolder
    $start.EnvironmentVariables['USERPROFILE'] = $homeFolder
    $process = $null
    try {
        [void][System.IO.Directory]::CreateDirectory($homeFolder)
        $process = [System.Diagnostics.Process]::Start($start)
        $process.StandardInput.Close()
        $output = $process.StandardOutput.ReadToEndAsync()
        $errors = $process.StandardError.ReadToEndAsync()
        if (-not $process.WaitForExit($limit)) {
            try { $process.Kill(); [void]$process.WaitForExit(2000) } catch { }
            return $false
        }
        if (-not $output.Wait(2000) -or -not $errors.Wait(2000)) { return $false }
        return ($process.ExitCode -eq 0 -and $output.Result.Trim().Length -gt 0)
    } catch {
        return $false
    } finally {
        if ($null -ne $process) { $process.Dispose() }
        try { [System.IO.Directory]::Delete($homeFolder, $true) } catch { }
    }
}

# One line of advice on how the window was found and what its name is for agent-cu.
function Get-Hint($found, [bool]$verified) {
    $hints = @()
    if ($found.Window.Process -eq 'ApplicationFrameHost') {
        $hints += "Packaged app inside ApplicationFrameHost: its process name does not work, pass the window title '" + $found.Window.Title + "' as -a."
    }
    if ($found.How -eq 'front') { $hints += 'No new window: one that was open already came to the front.' }
    if ($found.How -eq 'title') { $hints += 'No new window: one that was open already changed its title.' }
    if (-not $verified -and -not $NoVerify) {
        if ($script:agentCu) { $hints += 'agent-cu could not read the window yet.' }
        else { $hints += 'Not checked: the native agent-cu.exe was not found.' }
    }
    return ($hints -join ' ')
}

$exitCode = 1
$agentCu = $null
$seen = New-Object 'System.Collections.Generic.List[string]'
$frontTitle = ''
try {
    if (-not $App.Trim()) { throw 'name what to open, for example: cu-open.ps1 calc.exe' }
    if (-not ($TimeoutSec -gt 0 -and $TimeoutSec -le 3600)) { throw 'TimeoutSec is from 0 to 3600 seconds' }
    Add-Type -TypeDefinition $source -IgnoreWarnings
    if (-not $NoVerify) { $agentCu = Find-AgentCu }
    $before = [McpCuOpen.Desktop]::Now()
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $opened = Open-App $App $ArgumentList
    $chooser = New-Object McpCuOpen.Chooser($before, [McpCuOpen.Text]::Word($App), $opened)
    $found = $null
    $verified = $false
    $checks = 0
    while ($clock.Elapsed.TotalSeconds -lt $TimeoutSec) {
        Start-Sleep -Milliseconds 500
        $now = [McpCuOpen.Desktop]::Now()
        foreach ($title in [McpCuOpen.Chooser]::Added($before, $now)) { if (-not $seen.Contains($title)) { $seen.Add($title) } }
        $front = $now.Find($now.Front)
        $frontTitle = if ($null -ne $front) { $front.Title } else { '' }
        $next = $chooser.Next($now)
        if ($null -eq $next) {
            # A splash screen that is gone was not the application's window.
            if ($null -ne $found -and $null -eq $now.Find($found.Window.Handle)) { $found = $null }
            continue
        }
        $found = $next
        $seconds = $clock.Elapsed.TotalSeconds
        if (-not $agentCu) { break }
        $left = [Math]::Max(2000, [Math]::Min(10000, 1000 * ($TimeoutSec - $clock.Elapsed.TotalSeconds)))
        $verified = Test-Snapshot $agentCu $found.Window.Title ([int]$left)
        $checks++
        if ($verified -or $checks -ge 3) { break }
    }
    if ($null -ne $found) {
        $line = [McpCuOpen.Text]::Success($found, $seconds, (Get-Hint $found $verified), $verified)
        $exitCode = 0
    } else {
        $message = 'no window of it appeared within ' + $TimeoutSec.ToString([System.Globalization.CultureInfo]::InvariantCulture) + ' seconds'
        $line = [McpCuOpen.Text]::Failure($message, $seen, $frontTitle)
    }
} catch {
    $cause = $_.Exception
    while ($null -ne $cause.InnerException) { $cause = $cause.InnerException }
    $text = [string]$cause.Message
    try {
        $line = [McpCuOpen.Text]::Failure($text, $seen, $frontTitle)
    } catch {
        # The types above are missing, so that the text is made plain here.
        $line = '{"ok":false,"error":"' + ($text -replace '[^A-Za-z0-9 .,:()_-]', ' ') + '","new_windows_seen":[],"frontmost":""}'
    }
}
Write-Line $line
exit $exitCode
