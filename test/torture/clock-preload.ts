import { ServerResponse } from 'node:http'

/** Loaded before `crm serve`: its clock goes ahead, so that a day passes without anybody waiting for it. */
const shiftMs = Number(process.env.TORTURE_CLOCK_SHIFT_MS ?? 0)

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name, receiver),
})

// Node makes the Date header from a clock of its own, which was there before ours.
const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
  this.setHeader('date', new Date().toUTCString())
  return Reflect.apply(writeHead, this, args)
}
