-- What the service's role needs of the schema that `exportd migrate` makes, and nothing else. Run
-- after each migrate, by the role that ran it; a second time changes nothing:
--
--     psql -X -v ON_ERROR_STOP=1 -v service=ROLE -f sql/grants/jobs.sql DATABASE
--
-- Neither TRUNCATE nor any change of the schema, nor of the record of its steps.
BEGIN;
GRANT USAGE ON SCHEMA exportd TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON exportd.jobs TO :"service";
GRANT SELECT ON exportd.migrations TO :"service";
-- What was recorded can be added to, and not even read.
GRANT INSERT ON exportd.audit TO :"service";
COMMIT;
