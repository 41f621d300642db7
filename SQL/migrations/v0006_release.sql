-- The release log of open anonymous forms. Each row is a released state of a question set that somebody has read,
-- identified by its number of submissions. Filters use the log to prove that no respondent can be isolated
-- (docs/analysis.md). It is deleted when the form becomes final.
CREATE TABLE seen_state (
    form_id uuid NOT NULL,
    question_set integer NOT NULL,
    submissions bigint NOT NULL CONSTRAINT seen_state_positive CHECK (submissions > 0),
    CONSTRAINT seen_state_pkey PRIMARY KEY (form_id, question_set, submissions)
);
