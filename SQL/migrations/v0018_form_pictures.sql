-- The picture at the top of a form, and its description for people who do not see it.

-- A smaller copy of a meeting's image, which participants load with the form. Null for images that were uploaded before
-- this column: their hosts did not know that participants would see them.
ALTER TABLE image ADD COLUMN banner bytea;
-- SHA-256 of the copy's bytes.
ALTER TABLE image ADD COLUMN banner_digest bytea;
ALTER TABLE image ADD COLUMN banner_width integer;
ALTER TABLE image ADD COLUMN banner_height integer;
ALTER TABLE image ADD CONSTRAINT image_banner_size CHECK (octet_length(banner) BETWEEN 1 AND 131072);
ALTER TABLE image ADD CONSTRAINT image_banner_digest_length CHECK (octet_length(banner_digest) = 32);
ALTER TABLE image ADD CONSTRAINT image_banner_width_range CHECK (banner_width BETWEEN 1 AND 1200);
ALTER TABLE image ADD CONSTRAINT image_banner_height_range CHECK (banner_height BETWEEN 1 AND 1200);
ALTER TABLE image ADD CONSTRAINT image_banner_whole
    CHECK (num_nulls(banner, banner_digest, banner_width, banner_height) IN (0, 4));

ALTER TABLE meeting_image ADD COLUMN alt text NOT NULL DEFAULT '';
ALTER TABLE meeting_image ADD CONSTRAINT meeting_image_alt_length CHECK (char_length(alt) <= 3000);
