/**
 * A certificate for `localhost` from 2020 to 2120, signed by its own key, and that key: for tests, and known to
 * everybody.
 */
export const localhostCertificate: { readonly cert: string; readonly key: string } = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPOPgJLjLl0TYaL6
y/NsH0aEBZb/xCFTfBrEjXdveTMrqUJhLYzVj8TWx4m7BSljsKCw6JgkTDDR1pKE
K/Kiu7SjTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMB0GA1UdDgQWBBQiE3Wot+ZXMfylBM1J0tZq7NQ5wjAKBggqhkjOPQQD
AgNIADBFAiEA5H2ZBOmbFD5VmD+o4keWMFgZ9zXG7c1NM7+ZIxq4YGsCIDfmehsJ
l3o/TzM0gPjPvuuX+XVzu2YXSZKYTcaNdgNy
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg660/pvNGo0HoCJDt
ZRWLxn1+6onSKrD5q7KMbnAQf96hRANCAATzj4CS4y5dE2Gi+svzbB9GhAWW/8Qh
U3waxI13b3kzK6lCYS2M1Y/E1seJuwUpY7CgsOiYJEww0daShCvyoru0
-----END PRIVATE KEY-----
`,
};
