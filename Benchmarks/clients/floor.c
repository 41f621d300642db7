// The least that storing and counting submissions costs: the kernel, libpq and PostgreSQL, and nearly nothing else.
//
//     floor CONNECTION RESPONSE DIVISOR
//
// It listens on a free port of the loopback interface, and prints the port. A request must arrive in one piece, be
// `POST /v1/forms/` with a number of 13 digits, and have `{"answers":…}` as its body. When the connections divided by
// DIVISOR wait, or all that can come have come, it stores all of them in one transaction: one statement for the rows,
// one for the counts of their forms. Then it answers each with the bytes of the file RESPONSE. It ends when its
// standard input is closed.
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "listen.h"

enum { MOST = 1024, FORMS = 1000, LONGEST = 4096 };

typedef struct {
    int connection, form;
    char answers[LONGEST];
} Submission;

static Submission waiting[MOST], written[MOST];
static int waitingCount, writtenCount, connections;
static PGconn *database;

static void fail(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, database ? PQerrorMessage(database) : "");
    exit(1);
}

static void prepare(const char *name, const char *statement) {
    PGresult *result = PQprepare(database, name, statement, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(name);
    PQclear(result);
}

/// Takes the form's number and the answers of a request.
static void receive(int connection, char *request, size_t length) {
    request[length] = 0;
    char *body = strstr(request, "\r\n\r\n");
    if (waitingCount == MOST || length < 32 || !body || strlen(body) < 16) fail("a request of another shape");
    Submission *submission = &waiting[waitingCount++];
    submission->connection = connection;
    submission->form = atoi(request + strlen("POST /v1/forms/"));
    // Without `{"answers":` and the last brace.
    size_t size = strlen(body + 4) - 12;
    if (size >= LONGEST || submission->form >= FORMS) fail("a request that is too large");
    memcpy(submission->answers, body + 15, size);
    submission->answers[size] = 0;
}

/// Sends all waiting submissions to PostgreSQL, as one transaction.
static void store(void) {
    static char forms[MOST * 40], answers[MOST * (2 * LONGEST + 3)], counted[FORMS * 40], counts[FORMS * 8];
    static int perForm[FORMS];
    memcpy(written, waiting, waitingCount * sizeof *waiting);
    writtenCount = waitingCount;
    waitingCount = 0;
    memset(perForm, 0, sizeof perForm);
    char *form = forms, *answer = answers, *name = counted, *count = counts;
    for (int i = 0; i < writtenCount; i++) {
        perForm[written[i].form]++;
        form += sprintf(form, "%c00000000-0000-4000-8000-%012d", i ? ',' : '{', written[i].form);
        *answer++ = i ? ',' : '{';
        *answer++ = '"';
        for (char *from = written[i].answers; *from; from++) {
            if (*from == '"' || *from == '\\') *answer++ = '\\';
            *answer++ = *from;
        }
        *answer++ = '"';
    }
    for (int i = 0; i < FORMS; i++) {
        if (!perForm[i]) continue;
        name += sprintf(name, "%c%d", name == counted ? '{' : ',', i);
        count += sprintf(count, "%c%d", count == counts ? '{' : ',', perForm[i]);
    }
    strcpy(form, "}"), strcpy(answer, "}"), strcpy(name, "}"), strcpy(count, "}");
    const char *rows[] = {forms, answers}, *totals[] = {counted, counts};
    if (!PQsendQueryPrepared(database, "rows", 2, rows, NULL, NULL, 0)
        || !PQsendQueryPrepared(database, "counts", 2, totals, NULL, NULL, 0) || !PQpipelineSync(database)) {
        fail("sending");
    }
}

/// Reads from PostgreSQL. Returns whether the transaction has ended, and fails if it has failed.
static int hasEnded(void) {
    if (!PQconsumeInput(database)) fail("reading");
    while (!PQisBusy(database)) {
        PGresult *result = PQgetResult(database);
        // In a pipeline, this separates the results of two statements.
        if (!result) continue;
        ExecStatusType status = PQresultStatus(result);
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) return 1;
        if (status != PGRES_COMMAND_OK) fail("a statement");
    }
    return 0;
}

int main(int argc, char **argv) {
    static char response[1 << 16], request[LONGEST];
    FILE *file = argc == 4 ? fopen(argv[2], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: floor CONNECTION RESPONSE DIVISOR\n"), 2;
    size_t length = fread(response, 1, sizeof response, file);
    int divisor = atoi(argv[3]), isWriting = 0;
    database = PQconnectdb(argv[1]);
    if (PQstatus(database) != CONNECTION_OK) fail("connecting");
    prepare("rows", "INSERT INTO bench (form_id, id, version, answers, submitted_on, submitted_at)"
                    " SELECT form, gen_random_uuid(), 1, answers::jsonb, current_date, now()"
                    " FROM unnest($1::uuid[], $2::text[]) AS u (form, answers)");
    prepare("counts", "UPDATE bench_counts AS c SET count = c.count + u.count"
                      " FROM unnest($1::integer[], $2::bigint[]) AS u (form, count) WHERE c.form = u.form");
    if (!PQenterPipelineMode(database)) fail("pipeline");
    int listener = listenAnywhere(), epoll = epoll_create1(0);
    if (listener < 0) fail("listening");
    struct epoll_event events[512];
    watch(epoll, listener);
    watch(epoll, STDIN_FILENO);
    watch(epoll, PQsocket(database));
    while (1) {
        // After a millisecond without any request, none will come before the waiting ones are answered.
        int count = epoll_wait(epoll, events, 512, waitingCount && !isWriting ? 1 : -1);
        for (int i = 0; i < count; i++) {
            int ready = events[i].data.fd;
            if (ready == STDIN_FILENO) return 0;
            if (ready == listener) {
                connections += acceptAll(epoll, listener);
            } else if (ready == PQsocket(database)) {
                if (!isWriting || !hasEnded()) continue;
                isWriting = 0;
                for (int j = 0; j < writtenCount; j++) {
                    if (send(written[j].connection, response, length, MSG_NOSIGNAL) < 0) fail("answering");
                }
            } else {
                ssize_t received = recv(ready, request, sizeof request - 1, 0);
                if (received > 0) receive(ready, request, received);
                if (received <= 0) close(ready), connections--;
            }
        }
        if (!isWriting && waitingCount && (waitingCount * divisor >= connections || count == 0)) store(), isWriting = 1;
    }
}
