import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

extension APIResponse {
    /// A problem as RFC 9457's `application/problem+json`, with the headers that its status requires.
    static func problem(_ problem: Problem, request id: UUID, access: Route.Access? = nil) -> APIResponse {
        var headers: HTTPFields = [.contentType: MediaType.problem, .cacheControl: "no-store"]
        switch problem.code.status {
        case 401: headers[.wwwAuthenticate] = challenge(problem.code, access)
        // The rest of the body is not read.
        case 408, 413: headers[.connection] = "close"
        case 429, 503: headers[.retryAfter] = String(problem.retryAfter ?? 1)
        default: break
        }
        return APIResponse(
            status: HTTPResponse.Status(code: problem.code.status), headers: headers,
            body: .bytes(ByteBuffer(bytes: problem.json(request: id).bytes)))
    }

    private static func challenge(_ code: ProblemCode, _ access: Route.Access?) -> String {
        if code == .respondentRequired { return "Respondent" }
        return switch access {
        case .receipt: "Receipt"
        case .participant: "Respondent"
        case .anyone, .account, .admin, nil: "Bearer"
        }
    }
}

extension Problem {
    /// One sentence about this occurrence, always present.
    public var sentence: String {
        if let detail { return detail }
        switch faults.count {
        case 0: return code.title + "."
        case 1: return faults[0].detail
        case (Fault.maximumReported + 1)...:
            let reported = Fault.maximumReported
            return "More than \(reported) faults were found; `errors` lists \(reported) of them."
        default: return "\(faults.count) faults were found; `errors` lists them all."
        }
    }

    /// Built by hand rather than by `Codable`, because a problem may have other members than those of RFC 9457.
    func json(request id: UUID) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("type", .string("/problems/" + code.rawValue)),
            .init("title", .string(code.title)),
            .init("status", JSONValue(code.status)),
            .init("detail", .string(sentence)),
            .init("instance", .string("urn:uuid:" + id.lowercased)),
        ]
        if !faults.isEmpty {
            let errors = faults.prefix(Fault.maximumReported).map { fault in
                JSONValue.object([
                    .init("pointer", .string(fault.pointer)), .init("code", .string(fault.code)),
                    .init("detail", .string(fault.detail)),
                ])
            }
            members.append(.init("errors", .array(errors)))
        }
        if let conflicts {
            members.append(.init("conflicts", .array(conflicts.map { JSONValue(conflict: $0) })))
        }
        return .object(members)
    }
}

extension JSONValue {
    fileprivate init(conflict: MeetingConflict) {
        self = .object([
            .init("id", JSONValue(conflict.subject?.id.lowercased)),
            .init("title", JSONValue(conflict.subject?.title)),
            .init("startsAt", .string(RFC3339.format(conflict.startsAt))),
            .init("endsAt", .string(RFC3339.format(conflict.endsAt))),
            .init("seriesId", JSONValue(conflict.subject?.seriesID.lowercased)),
        ])
    }
}
