-- The extensions, and the two roles: afterword_owner owns the tables and migrates, afterword_app runs the service.
-- Roles belong to the whole cluster, so a migration of another database may have created them, or may be creating them
-- now. If the connecting user may not create roles, everything belongs to that user and this step only adds the
-- extensions.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS citext;

DO $$
DECLARE
    -- Since PostgreSQL 16, the creator of a role is a member of it without the SET and INHERIT options.
    v_grained boolean := current_setting('server_version_num')::int >= 160000;
    v_role text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolcreaterole)) THEN
        RETURN;
    END IF;
    FOREACH v_role IN ARRAY ARRAY['afterword_owner', 'afterword_app'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
        IF NOT (pg_has_role(current_user, v_role, CASE WHEN v_grained THEN 'SET' ELSE 'MEMBER' END)
            AND pg_has_role(current_user, v_role, 'USAGE')) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', v_role)
                || CASE WHEN v_grained THEN ' WITH SET TRUE, INHERIT TRUE' ELSE '' END;
        END IF;
    END LOOP;
    GRANT USAGE, CREATE ON SCHEMA public TO afterword_owner;
    GRANT USAGE ON SCHEMA public TO afterword_app;
    GRANT SELECT ON schema_migration, schema_function TO afterword_app;
    ALTER DEFAULT PRIVILEGES FOR ROLE afterword_owner IN SCHEMA public
        GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO afterword_app;
END
$$;
