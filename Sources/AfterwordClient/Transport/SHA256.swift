/// An incremental SHA-256 (FIPS 180-4, section 6.2). The client has no dependency that provides one.
struct SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// Bytes that don't fill a block yet.
    private var pendingBytes: [UInt8] = []
    private var byteCount: UInt64 = 0

    mutating func update(_ bytes: [UInt8]) {
        byteCount += UInt64(bytes.count)
        var start = 0
        if !pendingBytes.isEmpty {
            start = min(64 - pendingBytes.count, bytes.count)
            pendingBytes += bytes[..<start]
            guard pendingBytes.count == 64 else { return }
            let block = pendingBytes
            pendingBytes = []
            block.withUnsafeBufferPointer { compress($0[...]) }
        }
        bytes.withUnsafeBufferPointer { pointer in
            while pointer.count - start >= 64 {
                compress(pointer[start..<start + 64])
                start += 64
            }
        }
        pendingBytes = Array(bytes[start...])
    }

    /// The digest of the bytes so far. More bytes may follow.
    func digest() -> [UInt8] {
        var copy = self
        let padding = (120 - (pendingBytes.count + 1)) % 64
        copy.update([0x80] + [UInt8](repeating: 0, count: padding) + Self.bytes(byteCount &* 8))
        return copy.state.flatMap(Self.bytes)
    }

    private static func bytes(_ word: some FixedWidthInteger) -> [UInt8] {
        stride(from: word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }

    private mutating func compress(_ block: Slice<UnsafeBufferPointer<UInt8>>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            for index in 0..<16 {
                let offset = block.startIndex + index * 4
                words[index] =
                    UInt32(block[offset]) << 24 | UInt32(block[offset + 1]) << 16 | UInt32(block[offset + 2]) << 8
                    | UInt32(block[offset + 3])
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let sigma0 = Self.rotatedRight(early, 7) ^ Self.rotatedRight(early, 18) ^ (early >> 3)
                let sigma1 = Self.rotatedRight(late, 17) ^ Self.rotatedRight(late, 19) ^ (late >> 10)
                words[index] = words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for index in 0..<64 {
                let choice = (e & f) ^ (~e & g)
                let t1 =
                    h &+ (Self.rotatedRight(e, 6) ^ Self.rotatedRight(e, 11) ^ Self.rotatedRight(e, 25)) &+ choice
                    &+ Self.constants[index]
                    &+ words[index]
                let majority = (a & b) ^ (a & c) ^ (b & c)
                let t2 = (Self.rotatedRight(a, 2) ^ Self.rotatedRight(a, 13) ^ Self.rotatedRight(a, 22)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
            }
            for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
        }
    }

    private static func rotatedRight(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
}
