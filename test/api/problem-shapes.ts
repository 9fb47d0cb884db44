/** Validation errors as each framework or service publishes them, what is to be shown, and the first field. */
export const PROBLEM_SHAPES: readonly (readonly [source: string, body: unknown, message: string, field?: string])[] = [
  [
    'NestJS ValidationPipe',
    { statusCode: 400, message: ['email must be an email', 'name should not be empty'], error: 'Bad Request' },
    'Bad Request: email must be an email; name should not be empty',
  ],
  [
    'NestJS with the errors of class-validator',
    {
      statusCode: 400,
      error: 'Bad Request',
      message: [{ property: 'email', value: 'x', constraints: { isEmail: 'must be an email' }, children: [] }],
    },
    'Bad Request: email: must be an email',
    'email',
  ],
  [
    'LoopBack 4',
    {
      error: {
        statusCode: 422,
        name: 'UnprocessableEntityError',
        message: 'The request body is invalid. See error object `details` property for more info.',
        code: 'VALIDATION_FAILED',
        details: [
          { path: '/email', code: 'type', message: 'must be string', info: { type: 'string' } },
          {
            path: '',
            code: 'required',
            message: "must have required property 'name'",
            info: { missingProperty: 'name' },
          },
        ],
      },
    },
    "The request body is invalid. See error object `details` property for more info.: email: must be string; must have required property 'name'",
    'email',
  ],
  [
    'LoopBack 3',
    {
      error: {
        statusCode: 422,
        name: 'ValidationError',
        message: 'The `Contact` instance is not valid.',
        details: { context: 'Contact', codes: { email: ['presence'] }, messages: { email: ["can't be blank"] } },
      },
    },
    "The `Contact` instance is not valid.: email: can't be blank",
    'email',
  ],
  [
    'Spring Boot',
    {
      timestamp: '2026-01-01T00:00:00.000+00:00',
      status: 400,
      error: 'Bad Request',
      message: "Validation failed for object='contact'. Error count: 1",
      errors: [
        {
          codes: ['NotBlank.contact.email', 'NotBlank'],
          arguments: [{ codes: ['contact.email'], defaultMessage: 'email', code: 'email' }],
          defaultMessage: 'must not be blank',
          objectName: 'contact',
          field: 'email',
          rejectedValue: '',
          bindingFailure: false,
          code: 'NotBlank',
        },
      ],
      path: '/v1/contacts',
    },
    "Validation failed for object='contact'. Error count: 1: email: must not be blank",
    'email',
  ],
  [
    'Spring Data REST',
    { errors: [{ entity: 'Contact', property: 'email', invalidValue: 'x', message: 'must be well-formed' }] },
    'email: must be well-formed',
    'email',
  ],
  [
    'Zalando problem for Spring',
    { title: 'Constraint Violation', status: 400, violations: [{ field: 'email', message: 'must not be null' }] },
    'Constraint Violation: email: must not be null',
    'email',
  ],
  [
    'Quarkus',
    {
      parameterViolations: [
        { constraintType: 'PARAMETER', path: 'add.email', message: 'must not be blank', value: '' },
      ],
    },
    'add.email: must not be blank',
    'add.email',
  ],
  [
    'mongoose',
    {
      errors: {
        email: {
          name: 'ValidatorError',
          message: 'Path `email` is required.',
          properties: { message: 'Path `email` is required.', type: 'required', path: 'email' },
          kind: 'required',
          path: 'email',
        },
      },
      _message: 'Contact validation failed',
      name: 'ValidationError',
      message: 'Contact validation failed: email: Path `email` is required.',
    },
    'Contact validation failed: email: Path `email` is required.',
    'email',
  ],
  [
    'mongoose without a message at the top',
    { name: 'ValidationError', errors: { age: { name: 'CastError', message: 'Cast to Number failed', path: 'age' } } },
    'age: Cast to Number failed',
    'age',
  ],
  [
    'a duplicate of MongoDB',
    { index: 0, code: 11000, keyPattern: { email: 1 }, keyValue: { email: 'x' }, errmsg: 'E11000 duplicate key error' },
    'E11000 duplicate key error: email: already exists',
    'email',
  ],
  [
    'Google',
    {
      error: {
        code: 400,
        message: 'Request contains an invalid argument.',
        status: 'INVALID_ARGUMENT',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'BAD', domain: 'people.googleapis.com' },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'emailAddresses[0].value', description: 'Invalid email' }],
          },
        ],
      },
    },
    'Request contains an invalid argument.: emailAddresses[0].value: Invalid email',
    'emailAddresses[0].value',
  ],
  [
    'Google, the older form',
    {
      error: {
        errors: [
          { domain: 'global', reason: 'required', message: 'Required', locationType: 'parameter', location: 'email' },
        ],
        code: 400,
        message: 'Required',
      },
    },
    'Required: email: Required',
    'email',
  ],
  [
    'OData 4',
    {
      error: {
        code: 'BadRequest',
        message: 'The request is invalid.',
        details: [{ code: 'Required', target: 'email', message: 'is required' }],
      },
    },
    'The request is invalid.: email: is required',
    'email',
  ],
  [
    'OData 4 with a target of its own',
    { error: { code: 'X', message: 'is too long', target: 'name' } },
    'name: is too long',
    'name',
  ],
  [
    'OData 3',
    { 'odata.error': { code: '', message: { lang: 'en-US', value: 'The request is invalid.' } } },
    'The request is invalid.',
  ],
  [
    'OData 2 of SAP',
    {
      error: {
        code: 'SY/530',
        message: { lang: 'en', value: 'Validation failed' },
        innererror: { errordetails: [{ code: 'E1', message: 'is not valid', propertyref: '', target: 'Email' }] },
      },
    },
    'Validation failed: Email: is not valid',
    'Email',
  ],
  [
    'ASP.NET OData',
    {
      error: {
        code: '',
        message: 'The request is invalid.',
        innererror: { message: 'contact.email : is required', type: '' },
      },
    },
    'The request is invalid.: contact.email : is required',
  ],
  [
    'Django REST framework',
    { email: ['Enter a valid email address.'], non_field_errors: ['The fields must make a unique set.'] },
    'email: Enter a valid email address.; The fields must make a unique set.',
    'email',
  ],
  [
    'Django REST framework, nested',
    { address: { city: ['This field is required.'] }, name: ['May not be blank.'] },
    'address.city: This field is required.; name: May not be blank.',
    'address.city',
  ],
  ['Django REST framework, no field', { detail: 'Not found.' }, 'Not found.'],
  [
    'drf-standardized-errors',
    { type: 'validation_error', errors: [{ code: 'required', detail: 'This field is required.', attr: 'name' }] },
    'name: This field is required.',
    'name',
  ],
  [
    'FastAPI',
    {
      detail: [
        {
          type: 'missing',
          loc: ['body', 'email'],
          msg: 'Field required',
          input: {},
          url: 'https://errors.pydantic.dev',
        },
        { type: 'int_parsing', loc: ['body', 'lines', 0, 'n'], msg: 'Input should be a valid integer', input: 'x' },
      ],
    },
    'email: Field required; lines.0.n: Input should be a valid integer',
    'email',
  ],
  ['FastAPI, a text', { detail: 'Item not found' }, 'Item not found'],
  [
    'Zoho',
    {
      data: [
        {
          code: 'MANDATORY_NOT_FOUND',
          details: { api_name: 'Last_Name', json_path: '$.data[0].Last_Name' },
          message: 'required field not found',
          status: 'error',
        },
      ],
    },
    'Last_Name: required field not found',
    'Last_Name',
  ],
  [
    'Zoho, one error',
    {
      code: 'INVALID_DATA',
      details: { expected_data_type: 'email', api_name: 'Email' },
      message: 'invalid data',
      status: 'error',
    },
    'Email: invalid data',
    'Email',
  ],
  ['Rails', { errors: { email: ["can't be blank", 'is invalid'] } }, "email: can't be blank, is invalid", 'email'],
  ['Rails, the errors alone', { email: ["can't be blank"] }, "email: can't be blank", 'email'],
  ['Rails, full messages', { errors: ["Email can't be blank"] }, "Email can't be blank"],
  [
    'Rails under development',
    { status: 422, error: 'Unprocessable Entity', exception: '#<ActiveRecord::RecordInvalid: Email is taken>' },
    'Unprocessable Entity: #<ActiveRecord::RecordInvalid: Email is taken>',
  ],
  [
    'Laravel',
    { message: 'The given data was invalid.', errors: { email: ['The email field is required.'] } },
    'The given data was invalid.: email: The email field is required.',
    'email',
  ],
  [
    'express-validator 7',
    { errors: [{ type: 'field', value: 'x', msg: 'Invalid value', path: 'email', location: 'body' }] },
    'email: Invalid value',
    'email',
  ],
  [
    'express-validator 6',
    { errors: [{ value: 'x', msg: 'Invalid value', param: 'email', location: 'body' }] },
    'email: Invalid value',
    'email',
  ],
  [
    'celebrate',
    {
      statusCode: 400,
      error: 'Bad Request',
      message: 'Validation failed',
      validation: { body: { source: 'body', keys: ['email'], message: '"email" is required' } },
    },
    'Validation failed: "email" is required',
    'email',
  ],
  [
    'Joi',
    {
      details: [{ message: '"email" is required', path: ['email'], type: 'any.required', context: { label: 'email' } }],
    },
    '"email" is required',
    'email',
  ],
  [
    'zod',
    { issues: [{ code: 'invalid_type', path: ['lines', 0, 'n'], message: 'Required' }] },
    'lines.0.n: Required',
    'lines.0.n',
  ],
  [
    'zod, flat',
    { error: { formErrors: [], fieldErrors: { email: ['Invalid email'] } } },
    'email: Invalid email',
    'email',
  ],
  [
    'Fastify',
    {
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      error: 'Bad Request',
      message: "body must have required property 'email'",
    },
    "body must have required property 'email'",
  ],
  [
    'Ajv',
    { errors: [{ instancePath: '/email', keyword: 'format', message: 'must match format' }] },
    'email: must match format',
    'email',
  ],
  [
    'Strapi',
    {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: '1 error occurred',
        details: { errors: [{ path: ['email'], message: 'email must be unique', name: 'ValidationError' }] },
      },
    },
    '1 error occurred: email must be unique',
    'email',
  ],
  [
    'Directus',
    { errors: [{ message: 'Value is required.', extensions: { code: 'FAILED_VALIDATION', field: 'email' } }] },
    'email: Value is required.',
    'email',
  ],
  [
    'PostgREST',
    { code: '23505', details: 'Key (email)=(x) already exists.', hint: null, message: 'duplicate key value' },
    'duplicate key value: Key (email)=(x) already exists.',
  ],
  [
    'HubSpot',
    {
      status: 'error',
      message: 'Property values were not valid',
      correlationId: 'c',
      category: 'VALIDATION_ERROR',
      errors: [{ message: 'is not a valid email', code: 'INVALID_EMAIL', context: { propertyName: ['email'] } }],
    },
    'Property values were not valid: email: is not a valid email',
    'email',
  ],
  [
    'ASP.NET ProblemDetails',
    {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: { Email: ['The field is required.'] },
      traceId: '00-1',
    },
    'One or more validation errors occurred.: Email: The field is required.',
    'Email',
  ],
  [
    'ASP.NET Web API 2',
    { Message: 'The request is invalid.', ModelState: { 'contact.Email': ['is required'] } },
    'The request is invalid.: contact.Email: is required',
    'contact.Email',
  ],
  [
    'API Platform',
    {
      title: 'An error occurred',
      detail: 'email: is not valid',
      violations: [{ propertyPath: 'email', message: 'is not valid' }],
    },
    'email: is not valid',
    'email',
  ],
  ['Yii', [{ field: 'email', message: 'Email is taken.' }], 'email: Email is taken.', 'email'],
  [
    'CakePHP',
    { message: 'no', errors: { email: { _empty: 'cannot be left empty' } } },
    'no: email: cannot be left empty',
    'email',
  ],
  [
    'Sequelize',
    { errors: [{ message: 'must be unique', type: 'unique violation', path: 'email', value: 'x' }] },
    'email: must be unique',
    'email',
  ],
  [
    'marshmallow',
    { code: 422, status: 'Unprocessable Entity', errors: { json: { email: ['Not a valid email address.'] } } },
    'email: Not a valid email address.',
    'email',
  ],
  ['Flask-RESTful', { message: { email: 'is required' } }, 'email: is required', 'email'],
  [
    'Zendesk',
    {
      error: 'RecordInvalid',
      description: 'Record validation errors',
      details: { email: [{ description: 'is not valid', error: 'InvalidValue' }] },
    },
    'RecordInvalid: Record validation errors: email: is not valid',
    'email',
  ],
  [
    'Freshdesk',
    {
      description: 'Validation failed',
      errors: [{ field: 'email', message: 'must be unique', code: 'duplicate_value' }],
    },
    'Validation failed: email: must be unique',
    'email',
  ],
  [
    'GitHub',
    { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
    'Validation Failed: title: missing_field',
    'title',
  ],
]
