-- The organisation's name, logo and accent colour, which all pages show. On Citus this table is local to the
-- coordinator, because no statement about forms reads it.
CREATE TABLE organisation (
    -- Always true, so that there is exactly one row.
    single boolean CONSTRAINT organisation_pkey PRIMARY KEY DEFAULT true
        CONSTRAINT organisation_single CHECK (single),
    name text CONSTRAINT organisation_name_length CHECK (char_length(name) BETWEEN 1 AND 600),
    -- As chosen by an admin. The pages use shades of it that are readable.
    accent text CONSTRAINT organisation_accent_shape CHECK (accent ~ '^#[0-9a-f]{6}$'),
    logo bytea CONSTRAINT organisation_logo_size CHECK (octet_length(logo) BETWEEN 1 AND 65536),
    logo_type text CONSTRAINT organisation_logo_type_known CHECK (logo_type IN ('image/jpeg', 'image/png')),
    -- SHA-256 of the bytes.
    logo_digest bytea CONSTRAINT organisation_logo_digest_length CHECK (octet_length(logo_digest) = 32),
    logo_width integer CONSTRAINT organisation_logo_width_range CHECK (logo_width BETWEEN 1 AND 512),
    logo_height integer CONSTRAINT organisation_logo_height_range CHECK (logo_height BETWEEN 1 AND 512),
    -- Grows with each change. Instances compare it once a second.
    revision bigint NOT NULL DEFAULT 1,
    CONSTRAINT organisation_logo_whole
        CHECK (num_nulls(logo, logo_type, logo_digest, logo_width, logo_height) IN (0, 5))
);
INSERT INTO organisation DEFAULT VALUES;
