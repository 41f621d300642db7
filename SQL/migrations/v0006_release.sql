-- What readers of an open anonymous form have seen: states of a question set, by the number of submissions they showed.
-- Filters need it to prove that no respondent can be isolated (docs/analysis.md). Deleted when the form becomes final.
CREATE TABLE seen_state (
    form_id uuid NOT NULL,
    question_set integer NOT NULL,
    submissions bigint NOT NULL CONSTRAINT seen_state_positive CHECK (submissions > 0),
    CONSTRAINT seen_state_pkey PRIMARY KEY (form_id, question_set, submissions)
);
