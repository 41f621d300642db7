\set pace random(1, 5)
BEGIN;
INSERT INTO bench (form_id, id, version, answers, submitted_on, submitted_at)
VALUES ('00000000-0000-4000-8000-000000000001', gen_random_uuid(), 1,
    ('{"pace":' || :pace || ',"depth":3,"topics":["demo","talk"],"role":"guest","better":"A little more time for questions, please."}')::jsonb,
    current_date, now());
UPDATE bench_tally SET count = count + 1 WHERE bucket = 'answered';
COMMIT;
