import AfterwordClient
import Testing

@Suite struct Addresses {
    @Test func trailingSlashIsIgnored() {
        #expect(Afterword(url: "http://127.0.0.1:8080/").url == "http://127.0.0.1:8080")
    }
}
