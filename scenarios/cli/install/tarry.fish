# Completion of tarry for fish: the program itself knows its commands, options, scenarios and graphs.
complete -c tarry -a '(tarry --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
