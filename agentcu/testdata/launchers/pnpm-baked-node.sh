#!/bin/sh
basedir=$(dirname "$(echo "$0" | sed -e 's,\\,/,g')")

case `uname` in
    *CYGWIN*|*MINGW*|*MSYS*)
        if command -v cygpath > /dev/null 2>&1; then
            basedir=`cygpath -w "$basedir"`
        fi
    ;;
esac

"C:\Program Files\nodejs\node.exe"  "$basedir/global/5/node_modules/agent-cu/bin/agent-cu.js" "$@"
exit $?
