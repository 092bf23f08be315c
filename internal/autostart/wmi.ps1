# Starts "ollama serve" through WMI, so that it is no child of the calling program and in none of its
# jobs. All data comes in environment variables; the answer is one line of ASCII behind a fixed mark.
$ProgressPreference = 'SilentlyContinue'
$ErrorActionPreference = 'Stop'
$mark = 'MCP_CU_WMI:'
try {
    $exe = $env:MCP_CU_WMI_EXE
    $block = New-Object 'System.Collections.Generic.List[string]'
    foreach ($entry in [Environment]::GetEnvironmentVariables().GetEnumerator()) {
        $name = [string]$entry.Key
        if ($name -like 'MCP_CU_WMI_*' -or $name -eq 'PSModulePath') { continue }
        $block.Add($name + '=' + [string]$entry.Value)
    }
    if ($env:MCP_CU_WMI_PSMODULEPATH) { $block.Add('PSModulePath=' + $env:MCP_CU_WMI_PSMODULEPATH) }
    $startup = New-CimInstance -ClassName Win32_ProcessStartup -ClientOnly -Property @{
        CreateFlags          = [uint32]$env:MCP_CU_WMI_FLAGS
        ShowWindow           = [uint16]0
        EnvironmentVariables = [string[]]$block.ToArray()
    }
    $answer = Invoke-CimMethod -ClassName Win32_Process -MethodName Create -Arguments @{
        CommandLine               = '"' + $exe + '" serve'
        CurrentDirectory          = $env:MCP_CU_WMI_DIR
        ProcessStartupInformation = $startup
    }
    $line = '{"return":' + [uint32]$answer.ReturnValue + ',"pid":' + [uint32]$answer.ProcessId + '}'
    [Console]::Out.WriteLine($mark + $line)
    exit 0
} catch {
    $type = $_.Exception.GetType().FullName -replace '[^A-Za-z0-9.+]', '?'
    $mode = [string]$ExecutionContext.SessionState.LanguageMode
    [Console]::Out.WriteLine($mark + '{"error":"' + $type + '","mode":"' + $mode + '"}')
    exit 1
}
