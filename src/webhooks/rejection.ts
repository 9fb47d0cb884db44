import { REJECTIONS, type RejectionReason } from '../core/webhook-events.ts'

/** Thrown anywhere while a delivery is handled, answered in one place. The message is shown, so it quotes no value. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly reason: RejectionReason

  constructor(reason: RejectionReason, detail: string) {
    super(detail)
    this.reason = reason
  }

  get status(): number {
    return REJECTIONS[this.reason]
  }
}
