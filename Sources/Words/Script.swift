/// What of a character's script decides how words are counted.
enum Script {
    case han, hangul, other

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF: self = .han
        case 0xAC00...0xD7A3: self = .hangul
        default: self = .other
        }
    }
}
