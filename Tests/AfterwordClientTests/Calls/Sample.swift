import Foundation
import Testing

/// Values that the tests of calls send.
enum Sample {
    /// A picture of 64 by 48 pixels.
    static var png: [UInt8] {
        get throws {
            let base64 = """
                iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAYAAAChS3wfAAAAiklEQVR4nO2ZwQ3EQBCD2CiX/jveK4OHcQNjIfOac+FBzLnmdXiBn1vB\
                zQt8dgkzLYAW0ALmAaSAXcJMAEiBFjAPIAXsEmYCQAq0gHkAKWCXMBMAUmB8AYerApDfAimQAgQgBeYXMA8gBewSZgJACrSAeQApYJcw\
                EwBSoAXMA0gBu4SZAJAC2wv4A2EPBbmmIDZrAAAAAElFTkSuQmCC
                """
            return Array(try #require(Data(base64Encoded: base64)))
        }
    }

    /// A time relative to now, in whole seconds like stored times.
    static func time(inMinutes minutes: Double) -> Date {
        Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + minutes * 60).rounded())
    }
}
