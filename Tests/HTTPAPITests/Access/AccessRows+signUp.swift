import Postgres
import TestSupport

extension AccessMatrix {
    /// Sign-up, verification, password resets.
    static let signUpRows: [String: AccessRow] = [
        "POST /v1/accounts": .all(202)
            .sending(
                """
                {"email": "new@example.org", "name": "Nora New", "invitation": "an invitation"}
                """
            )
            .preparing { stage in
                try await stage.service.sql(
                    """
                    INSERT INTO invitation (id, hash, created_by, expires_at) VALUES
                        (gen_random_uuid(), sha256('an invitation'), gen_random_uuid(), now() + interval '1 day')
                    """)
                return [:]
            },
        "POST /v1/accounts/verification": .all(201).sending(#"{"token": "a token", "password": "a long password"}"#)
            .preparing { stage in
                try await stage.service.sql(
                    """
                    INSERT INTO registration (id, hash, email, name, expires_at) VALUES
                        (gen_random_uuid(), sha256('a token'), 'verified@example.org', 'Vera',
                         now() + interval '1 day')
                    """)
                return [:]
            },
        "POST /v1/password-resets": .all(202).sending(#"{"email": "host@example.org"}"#),
        "PUT /v1/password-resets/{token}": .all(204).sending(#"{"password": "another password"}"#)
            .preparing { stage in
                try await stage.service.sql(
                    """
                    INSERT INTO password_reset (id, hash, account_id, expires_at)
                    SELECT gen_random_uuid(), sha256('a-reset'), id, now() + interval '1 hour' FROM account
                    WHERE email = 'other@example.org'
                    """)
                return ["{token}": "a-reset"]
            },
    ]
}
