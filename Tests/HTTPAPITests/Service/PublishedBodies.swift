import Contract
import HTTPAPI
import StrictJSON
import Testing

/// Compares the response schemas in `openapi.yaml` with the types of the contract that the service encodes.
@Suite struct PublishedBodies {
    /// The types of the contract, by the names of their schemas.
    private static let types: [String: any (Decodable & Sendable).Type] = [
        "Account": AccountBody.self, "AdminAccount": AdminAccount.self, "AdminAccountList": Page<AdminAccount>.self,
        "Attendee": Attendee.self, "AttendeeList": Page<Attendee>.self, "AuditList": Page<AuditEntry>.self,
        "Availability": Availability.self, "Calendar": Contract.CalendarDays.self, "CheckIn": CheckIn.self,
        "CheckInMeeting": CheckInMeeting.self, "Decisions": Contract.Decisions.self,
        "SummaryMailing": SummaryMailing.self, "SummaryRecipients": SummaryRecipients.self, "CrossTab": CrossTab.self,
        "GridAlpha": GridAlpha.self,
        "CurrentSession": CurrentSession.self,
        "Erasure": Erasure.self, "FilteredResults": FilteredResults.self, "Form": Form.self,
        "FormInvitations": FormInvitations.self, "Host": CoHost.self, "HostList": Page<CoHost>.self,
        "Invitation": Invitation.self, "InvitationList": Page<Invitation>.self, "JoinCode": JoinCode.self,
        "JoinCodeList": Page<JoinCode>.self, "Joining": Contract.Joining.self, "LiveTicket": LiveTicket.self,
        "Meeting": Meeting.self, "MeetingList": Page<Meeting>.self, "Member": Member.self,
        "MemberList": Page<Member>.self, "MembersAdded": MembersAdded.self, "MembersChanged": MembersChanged.self,
        "MembersRemoved": MembersRemoved.self, "Person": Person.self, "PersonalData": PersonalData.self,
        "PersonalLink": PersonalLink.self, "PosterTarget": PosterTarget.self, "Profile": Profile.self,
        "PublicForm": PublicForm.self, "Ranking": Ranking.self, "ReleasedTexts": Contract.ReleasedTexts.self,
        "Results": Results.self, "RoundChanges": Contract.RoundChanges.self, "Series": Series.self,
        "SeriesList": SeriesList.self, "SeriesPerson": Person.self,
        "SavedTemplate": SavedTemplate.self, "SavedTemplateList": SavedTemplateList.self,
        "SeriesResults": SeriesResults.self, "Session": Session.self, "SessionList": Page<SessionSummary>.self,
        "Share": Share.self, "ShareList": Page<Share>.self, "SharedMeeting": SharedMeeting.self,
        "Storage": Storage.self, "Submission": Submission.self, "SubmissionReceipt": SubmissionReceipt.self,
        "Terms": Terms.self, "TextAnswers": TextAnswers.self, "Timeline": Timeline.self, "Token": APIToken.self,
        "TokenList": Page<APIToken>.self, "Trend": Trend.self, "WalkInCount": WalkInCount.self,
        "WalkInRemoval": WalkInRemoval.self, "Webhook": Webhook.self, "WebhookDelivery": WebhookDelivery.self,
        "WebhookDeliveryList": WebhookDeliveryList.self, "WebhookList": WebhookList.self,
    ]

    /// Members that only some of the bodies of a type have, as suffixes of their paths.
    private static let conditionalMembers = [
        // Only lists of texts have this member.
        "List.partial", "TextAnswers.partial", "ReleasedTexts.partial",
        // People who may see the series get these members. The person does not.
        "Person.email", "Person.code",
        // A definition is also a request, which may omit these members.
        "Form.intro", "Form.cap", "Form.opens", "Form.closes", "definition.intro", "definition.cap",
        "definition.opens", "definition.closes",
        // Lists of templates are without their forms.
        "SavedTemplate.definition", "items[].definition",
        // Only results of ratings have these members.
        "questions[].mean", "questions[].median", "questions[].standardDeviation", "questions[].confidence95",
        "questions[].groupedMedian",
    ]

    /// Members that the contract's types write but do not read, as suffixes of their paths.
    private static let unreadMembers = [
        // The sum of two others.
        "questions[].asked",
        // Read only if there is no `all`.
        "showIf.any", "showIf.question", "showIf.is", "showIf.isNot", "showIf.atLeast", "showIf.atMost",
        "showIf.answered",
    ]

    private let document: JSONValue

    init() throws { document = try OpenAPIDocument.load().value }

    @Test func schemasHaveTheMembersOfTheContract() throws {
        for (name, type) in Self.types.sorted(by: { $0.key < $1.key }) {
            let schema = try #require(document["components"]?["schemas"]?[name], "\(name)")
            let found = differences(schema, try DecodedShape(of: type), at: name)
            #expect(found == [], "\(name): \(found)")
        }
    }

    @Test func everyResponseBodyIsCompared() throws {
        var missing: Set<String> = []
        for path in document["paths"]?.members ?? [] where path.name.hasPrefix("/v1/") {
            for operation in path.value.members ?? [] {
                for response in operation.value["responses"]?.members ?? []
                where ["2", "3"].contains(response.name.prefix(1)) {
                    let content = resolve(response.value)["content"]?["application/json"]
                    // A body without members has no type.
                    guard let schema = content?["schema"], schema["additionalProperties"] != .bool(false) else {
                        continue
                    }
                    for schema in schema["oneOf"]?.array ?? schema["anyOf"]?.array ?? [schema] {
                        let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init)
                        guard let name, Self.types[name] != nil else {
                            missing.insert("\(operation.name) \(path.name) \(response.name): \(name ?? schema.text)")
                            continue
                        }
                    }
                }
            }
        }
        #expect(missing == [])
    }

    @Test func differencesAreReported() throws {
        let schema = try JSONValue.parse(
            Array(
                #"{"type": "object", "required": ["items"], "properties": {"items": {"items": {}}, "more": {}}}"#.utf8))
        #expect(
            differences(schema, try DecodedShape(of: Page<String>.self), at: "Page") == [
                "Page.more is not in the contract", "Page.next is not in the schema",
                "Page.partial is not in the schema",
            ])
    }

    private func resolve(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.string else { return schema }
        return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }

    /// The properties of an object, including those from its `allOf`, and the names of the required ones.
    private func properties(_ schema: JSONValue) -> (all: [JSONValue.Member], required: Set<String>) {
        let schema = resolve(schema)
        var all = schema["properties"]?.members ?? []
        var required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        for part in schema["allOf"]?.array ?? [] {
            let more = properties(part)
            all += more.all
            required.formUnion(more.required)
        }
        return (all, required)
    }

    private func differences(_ schema: JSONValue, _ shape: DecodedShape, at path: String) -> [String] {
        switch shape {
        case .other: return []
        case .array(let element):
            let schema = resolve(schema)
            let parts = [schema] + (schema["allOf"]?.array ?? []).map(resolve)
            guard let items = parts.compactMap({ $0["items"] }).first else {
                return ["\(path) is not an array in the schema"]
            }
            return differences(items, element, at: path + "[]")
        case .object(let members):
            let (all, required) = properties(schema)
            let names = Set(members.map(\.name))
            let unread = all.map { "\(path).\($0.name)" }.filter { member in
                !names.contains { member == "\(path).\($0)" } && !Self.unreadMembers.contains(where: member.hasSuffix)
            }
            var messages = unread.map { "\($0) is not in the contract" }
            for member in members {
                let at = "\(path).\(member.name)"
                let isConditional = Self.conditionalMembers.contains { at.hasSuffix($0) }
                guard let property = all.first(where: { $0.name == member.name }) else {
                    if !isConditional { messages.append("\(at) is not in the schema") }
                    continue
                }
                if member.isRequired != required.contains(member.name), !isConditional {
                    messages.append("\(at) is \(member.isRequired ? "always" : "not always") present")
                }
                messages += differences(property.value, member.shape, at: at)
            }
            return messages
        }
    }
}
