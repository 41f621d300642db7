import Contract
import Domain
import Foundation
import Postgres
import Store
import StrictJSON

/// The measured operations: first those that a submission passes through, in order, then those on results.
enum MeasuredOperation: String, CaseIterable {
    case decode
    case validate
    case id
    case macs
    case increments
    case storedAnswers = "stored-answers"
    case batchOf1 = "batch-of-1"
    case batchOf64 = "batch-of-64"
    case receipt
    case rowID = "row-id"
    case encodeSubmission = "encode-submission"
    case statistics
    case encodeResult = "encode-result"

    /// Prepares everything that is not measured, and returns the operation.
    ///
    /// - Returns: A function that performs the operation for one repetition, and returns a number derived from its
    ///   result.
    func prepared(with samples: Samples) throws -> (_ repetition: Int) throws -> Int {
        switch self {
        case .decode: decodeOperation(samples)
        case .validate, .increments, .storedAnswers: try answerOperation(samples)
        case .id, .macs, .receipt, .rowID: keyOperation(samples)
        case .batchOf1: try batchOperation(1, samples)
        case .batchOf64: try batchOperation(64, samples)
        case .encodeSubmission, .statistics, .encodeResult: try responseOperation(samples)
        }
    }

    /// Parses a request's body and checks the members of its object.
    private func decodeOperation(_ samples: Samples) -> (Int) throws -> Int {
        let bodies = samples.bodies
        return { repetition in
            let reader = ObjectReader(try JSONValue.parse(bodies[repetition % bodies.count]))
            _ = reader.int("version")
            let answers = reader.requiredValue("answers")
            try reader.requireNoFaults()
            return answers?.members?.count ?? 0
        }
    }

    private func answerOperation(_ samples: Samples) throws -> (Int) throws -> Int {
        let (form, values, answers) = (samples.form, try samples.answerValues(), try samples.answers())
        switch self {
        case .increments: return { form.increments(answers[$0 % answers.count]).indices.count }
        case .storedAnswers: return { answers[$0 % answers.count].text.utf8.count }
        default: return { try form.answers(from: values[$0 % values.count]).entries.count }
        }
    }

    private func keyOperation(_ samples: Samples) -> (Int) throws -> Int {
        let (form, keys, bodies, ids) = (samples.keys, samples.idempotencyKeys, samples.bodies, samples.ids)
        let now = Samples.time
        switch self {
        case .id: return { Int(form.id(idempotencyKey: keys[$0 % keys.count]).uuid.0) }
        case .macs:
            return { repetition in
                let mac = form.mac(idempotencyKey: keys[repetition % keys.count])
                return mac.count + form.mac(body: bodies[repetition % bodies.count]).count
            }
        case .receipt: return { form.receipt(of: ids[$0 % ids.count]).utf8.count }
        default: return { UUIDv7.make(now: now, random: (UInt64($0), 7)).lowercased.utf8.count }
        }
    }

    /// Makes the statement that stores a batch, with the counts of its submissions and all parameters encoded.
    private func batchOperation(_ count: Int, _ samples: Samples) throws -> (Int) throws -> Int {
        let offers = try samples.offers(count)
        return { repetition in
            IngestStatement.make(offers[...], imported: false, attempt: Int32(truncatingIfNeeded: repetition)).sql.utf8
                .count
        }
    }

    private func responseOperation(_ samples: Samples) throws -> (Int) throws -> Int {
        switch self {
        case .encodeSubmission:
            let submissions = try samples.submissions()
            return { try ContractCoding.encode(submissions[$0 % submissions.count]).count }
        case .statistics:
            let (questions, counts) = (samples.form.questions, samples.counts)
            return { _ in
                questions.reduce(0) { $0 + QuestionResult.make(question: $1, counts: counts[$1.key]).points.count }
            }
        default:
            let results = samples.results()
            return { _ in try ContractCoding.encode(results).count }
        }
    }
}
