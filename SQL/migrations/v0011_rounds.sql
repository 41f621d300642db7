-- Codes of series and check-ins: 13 characters of five random bits. The program makes them; rows that were there
-- before get theirs here, from the random bytes of a UUID (all but the two that hold its version and variant).
ALTER TABLE series
    ADD COLUMN code text,
    ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE meeting ADD COLUMN check_in_code text;

CREATE FUNCTION random_code() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + get_byte(u.bytes, i) % 32, 1), '' ORDER BY i)
    FROM (SELECT uuid_send(gen_random_uuid()) AS bytes OFFSET 0) u,
        unnest(ARRAY[0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14]) AS i
$$;
UPDATE series SET code = random_code();
UPDATE meeting SET check_in_code = random_code();
DROP FUNCTION random_code();

ALTER TABLE series
    ALTER COLUMN code SET NOT NULL,
    ADD CONSTRAINT series_code_unique UNIQUE (code),
    ADD CONSTRAINT series_code_shape CHECK (code ~ '^[0-9a-z]{13}$');
ALTER TABLE meeting
    ALTER COLUMN check_in_code SET NOT NULL,
    ADD CONSTRAINT meeting_check_in_code_unique UNIQUE (check_in_code),
    ADD CONSTRAINT meeting_check_in_code_shape CHECK (check_in_code ~ '^[0-9a-z]{13}$');
CREATE INDEX meeting_trash ON meeting (deleted_at) WHERE deleted_at IS NOT NULL;

-- The bytes are kept once, however many rounds show them; what no meeting refers to is swept away.
CREATE TABLE image (
    -- SHA-256 of the bytes.
    digest bytea CONSTRAINT image_pkey PRIMARY KEY
        CONSTRAINT image_digest_length CHECK (octet_length(digest) = 32),
    media_type text NOT NULL
        CONSTRAINT image_type_known CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
    bytes bytea NOT NULL CONSTRAINT image_size CHECK (octet_length(bytes) BETWEEN 1 AND 4194304)
);

CREATE TABLE meeting_image (
    meeting_id uuid CONSTRAINT meeting_image_pkey PRIMARY KEY
        CONSTRAINT meeting_image_meeting_known REFERENCES meeting (id),
    digest bytea NOT NULL CONSTRAINT meeting_image_image_known REFERENCES image (digest)
);
CREATE INDEX meeting_image_digest ON meeting_image (digest);
