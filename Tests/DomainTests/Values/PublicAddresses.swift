import Domain
import Testing

@Suite struct PublicAddresses {
    @Test(arguments: [
        "http://localhost:8080", "http://127.0.0.1:8080", "http://127.1.2.3", "http://[::1]:8080", "http://0.0.0.0:80",
        "http://[::]:8080", "https://LOCALHOST", "http://feedback.localhost", "http://[::ffff:127.0.0.1]",
        "http://[0:0:0:0:0:0:0:1]", "http://localhost.:8080",
    ])
    func loopbackAddressesAreUnreachableForPhones(_ base: String) {
        let address = PublicAddress(base)
        #expect(address.reach == .sameMachine)
        #expect(address.warning?.contains("no phone can reach") == true)
        #expect(address.warning?.contains(base) == true)
    }

    @Test(arguments: [
        "http://192.168.1.20:8080", "http://10.0.0.1", "https://172.16.0.1", "https://172.31.255.255",
        "http://169.254.7.7", "http://[fe80::1]", "http://[fd12:3456::1]", "http://printer.local", "http://meetings",
        "https://100.100.1.1", "https://feedback.home.arpa", "https://feedback.internal",
    ])
    func privateAddressesAreReachableInTheirNetworkOnly(_ base: String) {
        let address = PublicAddress(base)
        #expect(address.reach == .sameNetwork)
        #expect(address.warning?.contains("only devices in the same network") == true)
    }

    @Test(arguments: [
        "https://feedback.example.org", "https://8.8.8.8", "http://172.32.0.1", "https://192.169.0.1",
        "https://[2001:db8::1]", "https://localhost.example.org", "https://127.0.0.1.example.org",
        "https://10.example.org", "https://[1::]", "https://[::1:0]", "https://feedback.example.org/meetings",
    ])
    func otherAddressesAreConsideredPublic(_ base: String) {
        #expect(PublicAddress(base).reach == .everywhere)
        #expect(PublicAddress(base).warning == nil)
    }

    @Test func plainHTTPIsDetected() {
        #expect(PublicAddress("http://feedback.example.org").isPlain)
        #expect(!PublicAddress("https://feedback.example.org").isPlain)
    }
}
