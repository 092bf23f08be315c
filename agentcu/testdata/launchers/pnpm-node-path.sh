#!/bin/sh
basedir=$(dirname "$(echo "$0" | sed -e 's,\\,/,g')")

case `uname` in
    *CYGWIN*|*MINGW*|*MSYS*)
        if command -v cygpath > /dev/null 2>&1; then
            basedir=`cygpath -w "$basedir"`
        fi
    ;;
esac

if [ -z "$NODE_PATH" ]; then
  export NODE_PATH="/home/noa/.local/share/pnpm/global/5/node_modules/agent-cu/node_modules:/home/noa/.local/share/pnpm/global/5/node_modules"
else
  export NODE_PATH="/home/noa/.local/share/pnpm/global/5/node_modules/agent-cu/node_modules:/home/noa/.local/share/pnpm/global/5/node_modules:$NODE_PATH"
fi
if [ -x "$basedir/node" ]; then
  exec "$basedir/node"  "$basedir/global/5/node_modules/agent-cu/bin/agent-cu.js" "$@"
else
  exec node  "$basedir/global/5/node_modules/agent-cu/bin/agent-cu.js" "$@"
fi
