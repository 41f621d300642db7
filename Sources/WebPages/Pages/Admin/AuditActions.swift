/// The actions in the audit trail. `AuditedActions` in `WebPagesTests` compares them with those that the store writes.
enum AuditActions {
    static let all = [
        "account.create", "account.delete", "account.disable", "account.edit", "account.enable", "account.password",
        "account.password-reset", "account.picture", "account.role", "account.sign-in", "answer.hide", "answer.mark",
        "answer.unhide",
        "answers.delete", "answers.release", "answers.withhold", "attendee.add", "attendee.edit", "attendee.link",
        "attendee.links",
        "attendee.remove",
        "attendee.remove-walk-ins",
        "form.close", "form.edit", "form.finish", "form.invite", "form.publish", "form.remind", "form.reopen",
        "form.summary", "invitation.create", "invitation.revoke", "join-code.create", "join-code.revoke",
        "meeting.create", "meeting.decide", "meeting.delete", "meeting.edit", "meeting.image", "meeting.image-delete",
        "meeting.import", "meeting.restore", "meeting.trash",
        "member.add", "member.edit", "member.remove", "organisation.edit", "person.erase",
        "series.delete", "series.edit", "series.host.add",
        "series.host.remove", "series.restore", "series.retention", "series.transfer", "series.trash", "session.revoke",
        "share.create",
        "share.revoke", "submission.delete", "template.create", "template.delete", "template.edit", "token.create",
        "token.revoke", "webhook.create", "webhook.delete",
        "webhook.pause", "webhook.redeliver", "webhook.resume", "webhook.test",
    ]
}
