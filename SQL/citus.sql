-- For databases with the Citus extension: run this script once on the coordinator, after `afterword migrate`. Small
-- tables become reference tables, one statement each. Tables with submissions, counts and the state of forms are
-- distributed by form_id and colocated.
SET citus.enable_local_reference_table_foreign_keys = off;
SELECT create_reference_table('account');
SELECT create_reference_table('credential');
SELECT create_reference_table('account_picture');
SELECT create_reference_table('retention_settings');
SELECT create_reference_table('series');
SELECT create_reference_table('series_host');
SELECT create_reference_table('meeting');
SELECT create_reference_table('attendee');
SELECT create_reference_table('image');
SELECT create_reference_table('meeting_image');
SELECT create_reference_table('member');
SELECT create_reference_table('join_code');
SELECT create_reference_table('person');
SELECT create_reference_table('share');
SELECT create_reference_table('form');
SELECT create_reference_table('form_version');
SELECT create_reference_table('question');
SELECT create_reference_table('webhook');
SELECT create_reference_table('saved_template');
SELECT create_distributed_table('submission', 'form_id', colocate_with => 'none');
SELECT create_distributed_table('form_state', 'form_id', colocate_with => 'submission');
SELECT create_distributed_table('form_salt', 'form_id', colocate_with => 'submission');
SELECT create_distributed_table('tally', 'form_id', colocate_with => 'submission');
SELECT create_distributed_table('timeline', 'form_id', colocate_with => 'submission');
SELECT create_distributed_table('seen_state', 'form_id', colocate_with => 'submission');
SELECT create_distributed_function('merge_tallies(uuid,integer[],text[],text[],bigint[])', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function('has_changed_since(uuid,integer,bigint)', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function('advance_release(uuid,boolean)', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function('record_release(uuid,integer[],bigint[])', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function('record_step(uuid,uuid,integer)', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function('unlink_submissions(uuid)', 'p_form_id', colocate_with => 'submission');
SELECT create_distributed_function(
    'ingest(uuid,uuid[],integer[],text[],uuid[],bytea[],bytea[],text[],text[],integer[],integer[],boolean,timestamptz[],bigint[],integer)',
    'p_form_id', colocate_with => 'submission');
