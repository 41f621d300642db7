import Mail
import Testing

/// The URLs of SMTP servers.
@Suite struct SMTPAddresses {
    @Test(arguments: [
        ("smtps://smtp.example.org", SMTPServer.Encryption.implicit, nil, "smtp.example.org", 465),
        ("smtp://smtp.example.org", .startTLS, nil, "smtp.example.org", 587),
        ("smtp://mail:1025?tls=off", .none, nil, "mail", 1025),
        ("smtp://127.0.0.1/?tls=off", .none, nil, "127.0.0.1", 25),
        ("smtps://afterword@smtp.example.org:2465/", .implicit, "afterword", "smtp.example.org", 2465),
        ("smtps://a@example.org@smtp.example.org", .implicit, "a@example.org", "smtp.example.org", 465),
        ("smtps://a%40example.org@smtp.example.org", .implicit, "a@example.org", "smtp.example.org", 465),
    ])
    func urlIsRead(
        text: String, encryption: SMTPServer.Encryption, user: String?, host: String, port: Int
    ) throws {
        let server = try #require(SMTPServer(text))
        #expect(server.encryption == encryption && server.user == user)
        #expect(server.host == host && server.port == port)
        #expect(SMTPServer(server.text) == server)
    }

    @Test(arguments: [
        "", "smtp.example.org", "smtp.example.org:465", "smtps://", "smtps:///", "smtps://:465", "http://example.org",
        "smtps://user:secret@smtp.example.org", "smtps://smtp.example.org/path", "smtps://smtp.example.org#a",
        "smtps://smtp.example.org?tls=off", "smtp://smtp.example.org?tls=on", "smtp://smtp.example.org?",
        "smtp://user@smtp.example.org?tls=off", "smtps://smtp.example.org:0", "smtps://smtp.example.org:65536",
        "smtps://smtp.example.org:x", "smtps://smtp example.org", "smtps://smtp.example.org\n",
    ])
    func otherTextIsRefused(text: String) {
        #expect(SMTPServer(text) == nil)
    }
}
