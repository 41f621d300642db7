-- The release log of open anonymous forms: the states of a question set that somebody has read, by the number of
-- submissions in them. Filters use it to prove that no respondent can be isolated (docs/analysis.md). Deleted when the
-- form becomes final.
CREATE TABLE seen_state (
    form_id uuid NOT NULL,
    question_set integer NOT NULL,
    submissions bigint NOT NULL CONSTRAINT seen_state_positive CHECK (submissions > 0),
    CONSTRAINT seen_state_pkey PRIMARY KEY (form_id, question_set, submissions)
);
