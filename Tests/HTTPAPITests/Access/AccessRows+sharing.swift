import Foundation
import Postgres
import TestSupport

extension AccessMatrix {
    /// Results for participants and holders of a share; hidden and released texts, spam.
    static let sharingRows: [String: AccessRow] = [
        // An account's token is not accepted as a receipt.
        "GET /v1/forms/{code}/results": AccessRow(200, 401, 401, 401, 401, 401, 401, 401).preparing(shown),
        "GET /v1/forms/{code}/results/{key}/answers":
            AccessRow(200, 401, 401, 401, 401, 401, 401, 401).preparing(shown),
        "POST /v1/meetings/{id}/results/{key}/release": AccessRow.editors(204).preparing(withheld),
        "POST /v1/meetings/{id}/results/{key}/withhold": AccessRow.editors(204).preparing(shown),
        "POST /v1/meetings/{id}/results/{key}/answers/{answerId}/hide": AccessRow.editors(204).preparing(answer),
        "POST /v1/meetings/{id}/results/{key}/answers/{answerId}/unhide": AccessRow.editors(204).preparing { stage in
            try await stage.service.sql("UPDATE submission SET hidden = '{better}' WHERE NOT withdrawn")
            return try await answer(stage)
        },
        "PUT /v1/meetings/{id}/results/{key}/answers/{answerId}/marks": AccessRow.editors(204).preparing(answer)
            .sending(#"{"starred": true, "tags": ["room"]}"#),
        "DELETE /v1/meetings/{id}/submissions/{submissionId}": AccessRow.editors(204).turn(2).preparing { stage in
            ["{submissionId}": stage.submissionID]
        },
        "GET /v1/meetings/{id}/summary/mail": .editors(200),
        "POST /v1/meetings/{id}/summary/mail": .editors(202),
        "GET /v1/meetings/{id}/decisions": .viewers(200),
        "PUT /v1/meetings/{id}/decisions": AccessRow.editors(200)
            .sending(#"{"items": [{"text": "a"}]}"#, headers: ["If-Match": "*"]),
        "GET /v1/meetings/{id}/shares": .editors(200),
        "POST /v1/meetings/{id}/shares": .editors(201),
        "DELETE /v1/meetings/{id}/shares/{shareId}": AccessRow.editors(204).preparing { stage in
            ["{shareId}": try await stage.meeting.share().string("id")]
        },
        // An account's token makes no difference to a request with the share's token.
        "GET /v1/shares/{token}": AccessRow.all(200).preparing(share),
        "GET /v1/shares/{token}/results": AccessRow.all(200).preparing(share),
        "GET /v1/shares/{token}/results/{key}/answers": AccessRow.all(200).preparing(share),
    ]

    private static let shown: AccessRow.Preparation = { stage in
        try await stage.service.sql("UPDATE form_state SET show_results = 'always', released = '{better}'")
        return [:]
    }

    private static let withheld: AccessRow.Preparation = { stage in
        try await stage.service.sql("UPDATE form_state SET released = NULL")
        return [:]
    }

    private static let answer: AccessRow.Preparation = { stage in ["{answerId}": stage.submissionID] }

    private static let share: AccessRow.Preparation = { stage in
        _ = try await shown(stage)
        return ["{token}": try await stage.meeting.share().string("token")]
    }
}
