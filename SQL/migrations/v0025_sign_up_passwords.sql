-- Whoever verifies the address chooses the password, so that a sign-up stores none. What earlier versions stored is
-- cleared first, because a dropped column stays in the rows that had it.
UPDATE registration SET password_hash = '';
ALTER TABLE registration DROP COLUMN password_hash;
