import {
  CircleDashed,
  FileQuestion,
  Link2,
  Shield,
  ShieldAlert,
  ShieldCheck,
  ShieldOff,
  Stamp,
} from 'lucide';
import type { Verdict } from './verdict.ts';

/** The icon of each verdict, and the class of its colour. */
export const LOOKS = {
  kept: { icon: ShieldCheck, tone: 'good' },
  present: { icon: Shield, tone: 'soft' },
  resigned: { icon: Stamp, tone: 'good' },
  signed: { icon: Stamp, tone: 'good' },
  dropped: { icon: ShieldOff, tone: 'warn' },
  none: { icon: CircleDashed, tone: 'soft' },
  invalid: { icon: ShieldAlert, tone: 'bad' },
  link: { icon: Link2, tone: 'soft' },
  unreadable: { icon: FileQuestion, tone: 'warn' },
} as const satisfies Record<Verdict, object>;
