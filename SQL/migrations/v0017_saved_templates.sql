-- Forms that hosts saved as templates. Every account may use them; only the owner and administrators change them. The
-- definition is stored as in form_version. It is copied into the forms that begin with it, so nothing refers to it.
CREATE TABLE saved_template (
    id uuid CONSTRAINT saved_template_pkey PRIMARY KEY,
    owner_id uuid NOT NULL CONSTRAINT saved_template_owner_known REFERENCES account (id),
    name text NOT NULL CONSTRAINT saved_template_name_length CHECK (char_length(name) BETWEEN 1 AND 1000),
    definition jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX saved_template_owner ON saved_template (owner_id, id);
