#!/bin/sh
# Starts one of two PostgreSQL servers: the primary, or the replica for which its commits wait. Both servers run this
# script, as docker-compose.ha.yml does; docs/operations.md, "High availability", has the commands for a fail-over.
#
#   SELF         this server's name, also that of its replication slot: letters, digits and underscores
#   PEER         the other server's name
#   PEER_HOST    its host, by default its name
#   PEER_PORT    its port, by default 5432
#   INITIALIZES  `yes` on one of the two, which makes the database if there is none
#   PGDATA       this server's data, in a folder that stays: the folder above it is used too
#   SECRETS      the folder with the files `postgres-password` and `replication-password`
#
# Arguments are passed to PostgreSQL. The script runs as the user of PostgreSQL, at every start.
#
# It never promotes a replica. A server without data becomes the replica of the other one. A server that was the primary
# does not start while the other one is the primary, because both would accept answers.
set -eu
: "${SELF:?}" "${PEER:?}" "${PGDATA:?}"
secrets=${SECRETS:-/run/secrets}
host=${PEER_HOST:-$PEER}
port=${PEER_PORT:-5432}
new=$PGDATA.new
passfile=$(dirname "$PGDATA")/replication.pgpass
# Left by the first start, so that a server whose data was deleted never makes a second, empty database.
was_used=$(dirname "$PGDATA")/was-used
peer="host=$host port=$port user=replicator passfile=$passfile connect_timeout=30"

peer_is_primary() {
    psql --no-psqlrc --quiet --command="SELECT" \
        "$peer connect_timeout=5 dbname=postgres target_session_attrs=primary" >/dev/null 2>&1
}

initialize() {
    echo "Making a new database"
    initdb --pgdata="$new" --username=afterword --pwfile="$secrets/postgres-password" --encoding=UTF8 \
        --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256
    cat >>"$new/postgresql.conf" <<END

# From deploy/ha/postgres.sh, the same on both servers.
listen_addresses = '*'
wal_compression = lz4
# The replica reports its oldest reader, so that no row is removed that a download still needs.
hot_standby_feedback = on
# A replica that is away for longer than this much log has to be cloned again. Otherwise the disk would fill up.
max_slot_wal_keep_size = 8GB
END
    cat >>"$new/pg_hba.conf" <<END
host all afterword all scram-sha-256
host replication,postgres replicator all scram-sha-256
END
    # Each line is a statement. Commits wait for the replica from the first regular start on.
    postgres --single -D "$new" -c exit_on_error=on postgres >/dev/null <<END
CREATE DATABASE afterword
CREATE ROLE replicator LOGIN REPLICATION PASSWORD '$(sed "s/'/''/g" "$secrets/replication-password")'
ALTER SYSTEM SET synchronous_standby_names = '$PEER'
END
}

clone() {
    echo "Cloning the primary $PEER"
    # With a slot, the primary keeps the log that this server still has to read.
    psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=slot="$SELF" "$peer dbname=postgres" >/dev/null <<END
SELECT pg_create_physical_replication_slot(:'slot')
WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = :'slot')
END
    pg_basebackup --dbname="$peer" --pgdata="$new" --slot="$SELF" --wal-method=stream --checkpoint=fast
    # Once it is promoted, its commits wait for no replica until an operator names one.
    cat >>"$new/postgresql.auto.conf" <<END
primary_conninfo = '$peer application_name=$SELF'
primary_slot_name = '$SELF'
synchronous_standby_names = ''
END
    touch "$new/standby.signal"
}

umask 077
trap 'exit 1' INT TERM
printf '*:*:*:replicator:%s\n' "$(cat "$secrets/replication-password")" >"$passfile"

if [ -s "$PGDATA/PG_VERSION" ]; then
    if [ ! -e "$PGDATA/standby.signal" ] && peer_is_primary; then
        echo "$PEER is the primary now. Delete this server's data, and the next start clones $PEER." >&2
        exit 1
    fi
else
    # What an interrupted start left. PGDATA gets its name when it is complete.
    rm -rf "$new"
    if [ "${INITIALIZES:-no}" = yes ] && [ ! -e "$was_used" ] && ! peer_is_primary; then
        if pg_isready --quiet --host="$host" --port="$port" --timeout=5; then
            echo "This server has no data, and $PEER is a replica: promote $PEER, or restore this server's data." >&2
            exit 1
        fi
        initialize
    else
        until peer_is_primary; do
            echo "Waiting for the primary $PEER"
            sleep 1
        done
        clone
    fi
    mv "$new" "$PGDATA"
    touch "$was_used"
fi
exec postgres -D "$PGDATA" "$@"
