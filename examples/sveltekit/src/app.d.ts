import type { CurrentSession } from '@x/auth';

declare global {
  namespace App {
    interface Locals {
      session: CurrentSession | null;
    }
  }
}
