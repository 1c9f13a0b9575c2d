#!/bin/sh
# scripts/setup.sh with every package missing: a user without sudo and a root whose apt-get fails are
# told the one line to run; the exit status is 2. Argument: source folder.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fake() { # name, body: a command in front of the real ones
    printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
fake dpkg-query 'exit 1'
fake apt-get 'exit 100'
fake sudo 'exit 1'
fake uname 'echo x86_64'
for user in 0 1000; do
    fake id "echo $user"
    for script in demo.sh test.sh levels.sh arm64.sh; do
        PATH=$work:$PATH sh "$1/scripts/$script" </dev/null >"$work/out" 2>&1
        status=$?
        if [ "$status" != 2 ] ||
            ! grep -q '^    apt-get update && apt-get install -y cmake .*libflint-dev' "$work/out"; then
            echo "$script as user $user: exit $status, and said:"
            cat "$work/out"
            exit 1
        fi
    done
done
