@SETLOCAL
@IF NOT DEFINED NODE_PATH (
  @SET "NODE_PATH=C:\Users\noa\AppData\Local\pnpm\global\5\node_modules\agent-cu\node_modules;C:\Users\noa\AppData\Local\pnpm\global\5\node_modules"
) ELSE (
  @SET "NODE_PATH=C:\Users\noa\AppData\Local\pnpm\global\5\node_modules\agent-cu\node_modules;C:\Users\noa\AppData\Local\pnpm\global\5\node_modules;%NODE_PATH%"
)
@IF EXIST "%~dp0\node.exe" (
  "%~dp0\node.exe"  "%~dp0\global\5\node_modules\agent-cu\bin\agent-cu.js" %*
) ELSE (
  @SET PATHEXT=%PATHEXT:;.JS;=;%
  node  "%~dp0\global\5\node_modules\agent-cu\bin\agent-cu.js" %*
)
