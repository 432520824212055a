/** Whether it is a text of this form. A form alone would take whatever reads like one. */
export function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
