-- Notes the target of a result that comes, or goes, while its day is being sealed, in the table that the trigger names. The trigger is made
-- on that day's partition of `result` alone, and goes with the sealing (server/blocks/seal.ts): `result` itself has none.
CREATE FUNCTION "note_late_result"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('insert into %I (target_id) values ($1)', TG_ARGV[0]) USING CASE WHEN TG_OP = 'DELETE' THEN OLD.target_id ELSE NEW.target_id END;
  RETURN NULL;
END
$$;
