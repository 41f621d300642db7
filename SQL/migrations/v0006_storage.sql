-- Room on each page for in-place (HOT) updates of the rows that every batch touches.
ALTER TABLE form_state SET (fillfactor = 50);
ALTER TABLE tally SET (fillfactor = 50);
ALTER TABLE timeline SET (fillfactor = 70);
