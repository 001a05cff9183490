/** Names of key-exchange groups in IANA's TLS Supported Groups registry. */
const GROUPS: Record<number, string> = {
  21: 'secp224r1',
  22: 'secp256k1',
  23: 'secp256r1',
  24: 'secp384r1',
  25: 'secp521r1',
  26: 'brainpoolP256r1',
  27: 'brainpoolP384r1',
  28: 'brainpoolP512r1',
  29: 'X25519',
  30: 'X448',
  31: 'brainpoolP256r1tls13',
  32: 'brainpoolP384r1tls13',
  33: 'brainpoolP512r1tls13',
  41: 'curveSM2',
  256: 'ffdhe2048',
  257: 'ffdhe3072',
  258: 'ffdhe4096',
  259: 'ffdhe6144',
  260: 'ffdhe8192',
  512: 'MLKEM512',
  513: 'MLKEM768',
  514: 'MLKEM1024',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
};

const RECORD_TYPES: Record<number, string> = {
  20: 'change_cipher_spec',
  21: 'alert',
  22: 'handshake',
  23: 'application_data',
  24: 'heartbeat',
};

const MESSAGES: Record<number, string> = {
  0: 'hello_request',
  1: 'client_hello',
  2: 'server_hello',
  4: 'new_session_ticket',
  5: 'end_of_early_data',
  8: 'encrypted_extensions',
  11: 'certificate',
  12: 'server_key_exchange',
  13: 'certificate_request',
  14: 'server_hello_done',
  15: 'certificate_verify',
  16: 'client_key_exchange',
  20: 'finished',
  21: 'certificate_url',
  22: 'certificate_status',
  24: 'key_update',
  25: 'compressed_certificate',
};

/** Names of alerts (RFC 8446, section 6, and older ones still seen). */
const ALERTS: Record<number, string> = {
  0: 'close_notify',
  10: 'unexpected_message',
  20: 'bad_record_mac',
  22: 'record_overflow',
  40: 'handshake_failure',
  41: 'no_certificate',
  42: 'bad_certificate',
  43: 'unsupported_certificate',
  44: 'certificate_revoked',
  45: 'certificate_expired',
  46: 'certificate_unknown',
  47: 'illegal_parameter',
  48: 'unknown_ca',
  49: 'access_denied',
  50: 'decode_error',
  51: 'decrypt_error',
  70: 'protocol_version',
  71: 'insufficient_security',
  80: 'internal_error',
  86: 'inappropriate_fallback',
  90: 'user_canceled',
  109: 'missing_extension',
  110: 'unsupported_extension',
  112: 'unrecognized_name',
  113: 'bad_certificate_status_response',
  115: 'unknown_psk_identity',
  116: 'certificate_required',
  120: 'no_application_protocol',
};

/** Names of signature schemes in IANA's TLS SignatureScheme registry; the older pairs of TLS 1.2 have none there. */
const SIGNATURES: Record<number, string> = {
  513: 'rsa_pkcs1_sha1',
  515: 'ecdsa_sha1',
  1025: 'rsa_pkcs1_sha256',
  1027: 'ecdsa_secp256r1_sha256',
  1281: 'rsa_pkcs1_sha384',
  1283: 'ecdsa_secp384r1_sha384',
  1537: 'rsa_pkcs1_sha512',
  1539: 'ecdsa_secp521r1_sha512',
  1800: 'sm2sig_sm3',
  2052: 'rsa_pss_rsae_sha256',
  2053: 'rsa_pss_rsae_sha384',
  2054: 'rsa_pss_rsae_sha512',
  2055: 'ed25519',
  2056: 'ed448',
  2057: 'rsa_pss_pss_sha256',
  2058: 'rsa_pss_pss_sha384',
  2059: 'rsa_pss_pss_sha512',
  2074: 'ecdsa_brainpoolP256r1tls13_sha256',
  2075: 'ecdsa_brainpoolP384r1tls13_sha384',
  2076: 'ecdsa_brainpoolP512r1tls13_sha512',
  2308: 'mldsa44',
  2309: 'mldsa65',
  2310: 'mldsa87',
};

/** Names of certificate compression algorithms (RFC 8879, section 7.3). */
const COMPRESSIONS: Record<number, string> = { 1: 'zlib', 2: 'brotli', 3: 'zstd' };

const VERSIONS: Record<number, string> = {
  2: 'SSLv2',
  768: 'SSLv3',
  769: 'TLSv1',
  770: 'TLSv1.1',
  771: 'TLSv1.2',
  772: 'TLSv1.3',
};

const named = (table: Record<number, string>, prefix: string) => (code: number) => table[code] ?? `${prefix}_${code}`;

export const groupName = named(GROUPS, 'group');
export const recordTypeName = named(RECORD_TYPES, 'record');
export const messageName = named(MESSAGES, 'handshake');
export const signatureName = named(SIGNATURES, 'signature');
export const compressionName = named(COMPRESSIONS, 'compression');
export const versionName = named(VERSIONS, 'version');
export const alertName = named(ALERTS, 'alert');
