@SETLOCAL
@"C:\Program Files\nodejs\node.exe"  "%~dp0\global\5\node_modules\agent-cu\bin\agent-cu.js" %*
