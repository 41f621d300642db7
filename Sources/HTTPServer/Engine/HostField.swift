/// The value of `Host`: a name or an address, and a port unless it is the scheme's default (RFC 9110, section 7.2, with
/// the characters of RFC 3986, section 3.2.2).
enum HostField {
    /// Whether the value, without space around it, is valid. An empty value is invalid, because every http URL has a
    /// host.
    static func isValid(_ value: some Collection<UInt8>) -> Bool {
        var rest = value[...]
        guard rest.first == UInt8(ascii: "[") ? rest.popAddress() : rest.popName() else { return false }
        guard let colon = rest.popFirst() else { return true }
        return colon == UInt8(ascii: ":") && rest.count <= 5 && rest.allSatisfy(\.isDigit)
    }
}

extension Collection<UInt8> where SubSequence == Self {
    /// Removes an IPv6 address in brackets; returns false if it is malformed. The first byte must be the opening
    /// bracket.
    fileprivate mutating func popAddress() -> Bool {
        removeFirst()
        let address = prefix { $0.isHexadecimal || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        self = self[address.endIndex...]
        return popFirst() == UInt8(ascii: "]") && !address.isEmpty
    }

    /// Removes a name or an IPv4 address; returns false if it is empty or malformed.
    fileprivate mutating func popName() -> Bool {
        let (start, names) = (startIndex, ByteTable.hostName)
        while let byte = first {
            if names[Int(byte)] {
                removeFirst()
            } else if byte == UInt8(ascii: "%") {
                removeFirst()
                guard popFirst()?.isHexadecimal == true, popFirst()?.isHexadecimal == true else { return false }
            } else {
                break
            }
        }
        return startIndex != start
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    fileprivate var isHexadecimal: Bool {
        isDigit || self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f")
    }
}

/// Sets of bytes: for each of the 256, whether it belongs to the set.
enum ByteTable {
    /// The bytes of paths that need no decoding: the unreserved ones (RFC 3986, section 2.3) and the slash.
    static let path = lettersAndDigits(and: "-._~/")
    /// The bytes of tokens (RFC 9110, section 5.6.2).
    static let token = lettersAndDigits(and: "!#$%&'*+-.^_`|~")
    /// The bytes of a host name except `%`: the unreserved ones and the delimiters of RFC 3986, section 2.2.
    static let hostName = lettersAndDigits(and: "-._~!$&'()*+,;=")

    private static func lettersAndDigits(and others: String) -> [Bool] {
        var table = [Bool](repeating: false, count: 256)
        let alphanumerics = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        for byte in (alphanumerics + others).utf8 { table[Int(byte)] = true }
        return table
    }
}
