import type { ProviderResult } from './provider-port.ts';

const INVOICE_ID = /^[\x21-\x7e]{1,64}$/;

/** Returns the id under which a service bills a call, as a member that is absent if the id has another form. */
export function withInvoiceId(id: string | undefined): Pick<ProviderResult, 'upstreamIds'> {
  return id !== undefined && INVOICE_ID.test(id) ? { upstreamIds: [id] } : {};
}
