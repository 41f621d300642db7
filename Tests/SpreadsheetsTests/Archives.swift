import StrictJSON
import TestSupport
import Testing

@testable import Spreadsheets

@Suite(.timeLimit(.minutes(15))) struct Archives {
    private func archive(wideFrom wide: UInt64) -> [UInt8] {
        var zip = ZipStream(wideFrom: wide)
        zip.add("empty", [])
        zip.begin("folder/text")
        for number in 0..<10_000 { zip.append(Array("line \(number)\n".utf8)) }
        zip.end()
        zip.add("last", Array("end".utf8))
        zip.finish()
        var bytes: [UInt8] = []
        zip.drain(into: &bytes)
        return bytes
    }

    /// ZIP64 from the first byte, from the second entry, from the directory, and never.
    @Test(arguments: [0, 1, 20_000, UInt64(UInt32.max)]) func archivesAreReadByPython(wideFrom wide: UInt64)
        async throws
    {
        let result = try await PythonReader.read(
            archive(wideFrom: wide),
            as: """
                import zipfile
                book = zipfile.ZipFile(path)
                assert book.testzip() is None
                text = book.read("folder/text").decode()
                assert text == "".join(f"line {n}\\n" for n in range(10000))
                result = [[i.filename, i.file_size, list(i.date_time)] for i in book.infolist()]
                """)
        #expect(
            result.text
                == #"[["empty",0,[1980,1,1,0,0,0]],["folder/text",98890,[1980,1,1,0,0,0]],["last",3,[1980,1,1,0,0,0]]]"#
        )
    }

    @Test func columnNumbersAreWrittenAsLetters() {
        let names = [0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA", 16_383: "XFD"]
        for (column, letters) in names { #expect(CellReference.letters(column) == letters) }
        #expect(CellReference.range(sheet: "a'b", column: 1, rows: 2...3) == "'a''b'!$B$2:$B$3")
    }
}
