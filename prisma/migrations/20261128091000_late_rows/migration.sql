-- Notes each result that comes, or goes (`gone`), while its day is being sealed, in the table that the trigger names (server/blocks/seal.ts).
-- Before, only its target was noted: `note_late_result` stays for days that an earlier version has begun to seal.
CREATE FUNCTION "note_late_row"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted record;
BEGIN
  noted := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  EXECUTE format('insert into %I (target_id, started_at, id, gone) values ($1, $2, $3, $4)', TG_ARGV[0])
    USING noted.target_id, noted.started_at, noted.id, TG_OP = 'DELETE';
  RETURN NULL;
END
$$;
