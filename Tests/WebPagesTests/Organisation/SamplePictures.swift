import Foundation
import Testing

/// Small images to upload.
enum SamplePictures {
    /// 64 × 48 pixels.
    static var png: [UInt8] {
        get throws {
            try bytes(
                """
                iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAYAAAChS3wfAAAAiklEQVR4nO2ZwQ3EQBCD2CiX/jveK4OHcQNjIfOac+FBzLnmdXiBn1vB\
                zQt8dgkzLYAW0ALmAaSAXcJMAEiBFjAPIAXsEmYCQAq0gHkAKWCXMBMAUmB8AYerApDfAimQAgQgBeYXMA8gBewSZgJACrSAeQApYJcw\
                EwBSoAXMA0gBu4SZAJAC2wv4A2EPBbmmIDZrAAAAAElFTkSuQmCC
                """)
        }
    }

    static var webp: [UInt8] {
        get throws {
            try bytes(
                """
                UklGRlQAAABXRUJQVlA4TEgAAAAvP8ALEJlliOh/6CYGfsD7HwlQ2rYR5P2XPvyjAwKCIv9HCwVt27DY7Y7atm0Y9+y5woMsA2TJoZt8\
                HvfF+zp0adj9f/sdDwA=
                """)
        }
    }

    private static func bytes(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64)))
    }
}
